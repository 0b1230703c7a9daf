// Which variables of a problem have equal rows: their kernel values are the same, with the same roundings.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::qp {

class EqualRows {
 public:
  /// Only the variables of a point are equal, one after another (RowSource::variables_per_point).
  explicit EqualRows(Index per_point) : per_point_(per_point) {}
  /// So are those whose rows T does not tell apart (RowSource::point_key).
  template <class T>
  EqualRows(const kernel_matrix::RowSource<T>& rows, base::ThreadPool& pool) : per_point_(rows.variables_per_point()) {
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(rows.size()));
    pool.for_range(rows.size(), 1024, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) keys[i] = rows.point_key(i);
    });
    find_points(keys);
  }

  Index per_point() const { return per_point_; }

  /// |b|_2^2 of the bound (error_bound.hpp) for b = after - before, of n variables; before: null is 0. The coefficients of equal
  /// points count as one.
  double square(const double* after, const double* before, Index n) const;

 private:
  void find_points(const std::vector<std::uint64_t>& keys);

  Index per_point_;
  std::vector<Index> point_;  // the number of each variable's row among those that differ; empty: by per_point_ alone
  Index n_points_ = 0;  // how many differ
};

}  // namespace dcsvm::qp
