// Products of X with several vectors at once, for problems on the same rows that are solved side by side: one read of a row
// serves all of them. With one vector: the matrix's own.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "data/matrix.hpp"

namespace dcsvm::linear {

using data::Matrix;
using Vectors = std::vector<double*>;
using ConstVectors = std::vector<const double*>;

inline constexpr Index kMostLanes = 32;  ///< vectors at once

/// z[k][i] = w[k]'x_i for all rows; w[k] has cols() entries.
void products(const Matrix& x, const ConstVectors& w, const Vectors& z, base::ThreadPool& pool);

/// out[k] = X'd[k].
void transposed_products(const Matrix& x, const ConstVectors& d, const Vectors& out, base::ThreadPool& pool);

/// out[k] = X' diag(h[k]) X v[k], for directions: several vectors and sparse rows in float, where that is in its range. Rows with
/// h[k][i] = 0 for all k are not read.
void curvature_products(const Matrix& x, const ConstVectors& h, const ConstVectors& v, const Vectors& out,
                        base::ThreadPool& pool);

/// out[k][j] = sum_i h[k][i] x_ij^2.
void squares_products(const Matrix& x, const ConstVectors& h, const Vectors& out, base::ThreadPool& pool);

}  // namespace dcsvm::linear
