// F0: numbers about the data that parameters are derived from.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::data {

/// Mean of each column over all rows; the same for any number of threads.
std::vector<double> column_means(const DataView& x, base::ThreadPool& pool);
struct Moments {
  std::vector<double> mean, variance;
};
/// Mean and (population) variance of each column over rows idx[0..n), idx null: 0..n-1; the same for any number of threads.
Moments column_moments(const DataView& x, const Index* idx, Index n, base::ThreadPool& pool);
/// Variance of all entries (zeros of CSR included) around their common mean, in two passes, as numpy's X.var().
double variance(const DataView& x, base::ThreadPool& pool);
/// Largest |x_i - mean|^2 over the rows; not centred or CSR (sparse points are not shifted): largest |x_i|^2.
double largest_norm2(const DataView& x, base::ThreadPool& pool, bool centred = true);

}  // namespace dcsvm::data
