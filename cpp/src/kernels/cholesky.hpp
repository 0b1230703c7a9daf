// Cholesky factors of matrices too large to leave a host waiting: in blocks, on all threads, polled in between.
#pragma once

#include <functional>

#include "base/thread_pool.hpp"

namespace dcsvm::kernels {

/// Columns that are factored before all columns after them are updated by them at once; the triangular solves go in such blocks.
constexpr Index kFactorBlock = 192;

/// Overwrites the lower triangle of the symmetric n x n matrix `a` (column-major, leading dimension n) by its factor L, a = L L'.
/// The strict upper triangle is left as it is. False when a pivot is not positive: the lower triangle is then undefined.
/// The result does not depend on the number of threads. Throws what pool.poll throws.
bool cholesky(double* a, Index n, base::ThreadPool& pool);

/// x = L^-1 x for m columns (n x m, column-major, leading dimension n), L as above. Calls `between` after every block.
void solve_lower(const double* factor, Index n, double* x, Index m, const std::function<void()>& between);
/// x = L'^-1 x, likewise.
void solve_lower_transposed(const double* factor, Index n, double* x, Index m, const std::function<void()>& between);

}  // namespace dcsvm::kernels
