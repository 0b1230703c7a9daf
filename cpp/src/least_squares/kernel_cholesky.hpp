// The Cholesky factor of a kernel matrix plus a positive diagonal: what the exact solvers of ridge regression and of LS-SVMs
// share.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/buffer.hpp"
#include "base/vectors.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/row_source.hpp"
#include "kernels/cholesky.hpp"

namespace dcsvm::least_squares {

/// H = K + diag(ridge) = L L', in double.
class KernelCholesky {
 public:
  /// columns: all n of K. Throws NotDefinite when H has no factor.
  template <class T, class NotDefinite>
  KernelCholesky(const kernel_matrix::Columns<T>& columns, const std::vector<double>& ridge, const NotDefinite& not_definite,
                 base::ThreadPool& pool)
      : n_(columns.size()), pool_(pool), factor_(n_ * n_), diagonal_(ridge) {
    constexpr Index kRows = 256;  // of K at a time: prepared rows cost memory
    const std::vector<Index> all = base::index_range(n_);
    constexpr bool in_place = std::is_same_v<T, double>;
    base::Buffer<T> block(in_place ? 0 : kRows * n_);
    bytes_ = factor_.bytes() + block.bytes();
    for (Index first = 0; first < n_; first += kRows) {
      pool.poll();
      const Index m = std::min(kRows, n_ - first);
      double* rows = factor_.data() + first * n_;
      if constexpr (in_place) {
        columns.block(all.data() + first, m, rows, n_, pool);
      } else {
        columns.block(all.data() + first, m, block.data(), n_, pool);
        pool.for_range(m, 16, [&](Index begin, Index end, int) {
          std::copy(block.data() + begin * n_, block.data() + end * n_, rows + begin * n_);
        });
      }
    }
    for (Index i = 0; i < n_; ++i) diagonal_[i] = factor_[i * n_ + i] += ridge[i];
    if (!kernels::cholesky(factor_.data(), n_, pool)) throw NotDefinite(not_definite);
  }

  std::size_t bytes() const { return bytes_; }

  /// x = H^-1 x for m columns (n x m, column-major).
  void solve(double* x, Index m) const {
    const auto poll = [this] { pool_.poll(); };
    kernels::solve_lower(factor_.data(), n_, x, m, poll);
    kernels::solve_lower_transposed(factor_.data(), n_, x, m, poll);
  }

  /// r -= H x + offset.
  void subtract_product(const double* x, double offset, double* r) const {
    for (Index j = 0; j < n_; ++j) {
      const double* column = factor_.data() + j * n_;
      double sum = 0.0;
      for (Index i = 0; i < j; ++i) {
        sum += column[i] * x[i];
        r[i] -= column[i] * x[j];
      }
      r[j] -= sum + diagonal_[j] * x[j] + offset;
    }
  }

 private:
  Index n_;
  base::ThreadPool& pool_;
  base::Buffer<double> factor_;   // column-major; the strict upper triangle is still that of H
  std::vector<double> diagonal_;  // of H
  std::size_t bytes_ = 0;
};

}  // namespace dcsvm::least_squares
