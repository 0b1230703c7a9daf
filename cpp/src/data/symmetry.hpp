// Checks that a precomputed kernel matrix is symmetric.
#pragma once

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::data {

/// Largest accepted |K_ij - K_ji|, relative to max(|K_ij|, |K_ji|, sqrt(|K_ii K_jj|)): the rounding of float32 arithmetic.
constexpr double kAsymmetry = 1e-4;

/// Compares every K_ij with K_ji; x is square and was checked (check.hpp). DataError names the first pair that
/// differs, by row, then column, among the values above the diagonal (CSR: among those that are stored). Dense: reads each value
/// once, in blocks; CSR: one search for each stored value.
void check_symmetric(const DataView& x, base::ThreadPool& pool);

}  // namespace dcsvm::data
