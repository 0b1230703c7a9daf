// Sums over a packed set of points whose kernel values are used once and never stored.
#pragma once

#include <memory>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm::kernel_matrix {

/// sum_j coef[j] K(query, point j), in T over the mr points of a strip, beyond in double (Ops::tile_sum).
template <class T>
class CrossSums {
 public:
  virtual ~CrossSums() = default;
  /// out[r] = the sum of query first + r for r in [0, m). No query's sum depends on its neighbours. Safe from several threads at
  /// once; callers split the queries, at multiples of grain().
  virtual void sum(const DataView& queries, Index first, Index m, double* out) const = 0;
  /// Queries whose panels stay in L1 beside a strip of points.
  virtual Index grain() const = 0;
};

/// Packs the rows of x, and copies coef. Null where kernel values are better stored first: points in sparse or bytes form (and
/// the precomputed kernel).
template <class T>
std::unique_ptr<CrossSums<T>> make_cross_sums(const DataView& x, const KernelParams& kernel, const double* coef,
                                              base::ThreadPool& pool);

}  // namespace dcsvm::kernel_matrix
