// The rows of X behind a linear kernel: with w = sum_i b_i x_i a sum of kernel values is one product, sum_i b_i K(x_i, x) = w'x.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "products/matrix.hpp"

namespace dcsvm::kernel_matrix {

/// The row of X of each variable of a problem with K = X X'. Several variables may share a row. A small value: copies share X.
class LinearRows {
 public:
  LinearRows() = default;  ///< none: the kernel is not linear, or a copy of X was too large
  explicit LinearRows(std::shared_ptr<const products::Matrix> x) : x_(std::move(x)) {}

  explicit operator bool() const { return x_ != nullptr; }
  /// Variable i of the result is variable idx[i] of this.
  LinearRows of(const std::vector<Index>& idx) const;

  Index features() const { return x_->cols(); }
  /// Values that a pass over all rows reads, for each row.
  double work_per_row() const;
  std::size_t bytes() const { return x_ ? x_->bytes() : 0; }  ///< of the copy of X, if there is one
  double dot(Index i, const double* w) const { return x_->dot(row(i), w); }
  void add(Index i, double a, double* w) const { x_->add(row(i), a, w); }
  void prefetch(Index i) const { x_->prefetch(row(i)); }

  /// out[j] += x_idx[j]'w for j in [0, n).
  void products(const double* w, const Index* idx, Index n, double* out, base::ThreadPool& pool) const;
  /// sum_r coef[r] x_rows[r].
  std::vector<double> weights(const Index* rows, const double* coef, Index m) const;

 private:
  Index row(Index i) const { return row_.empty() ? i : row_[static_cast<std::size_t>(i)]; }

  std::shared_ptr<const products::Matrix> x_;
  std::vector<Index> row_;  // of each variable; empty: variable i is row i
};

}  // namespace dcsvm::kernel_matrix
