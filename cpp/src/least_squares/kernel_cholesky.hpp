// The Cholesky factor of a kernel matrix plus a positive diagonal: what the exact solvers of ridge regression and of LS-SVMs
// share.
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::least_squares {

/// H = K + diag(ridge) = L L', in double.
class KernelCholesky {
 public:
  /// columns: all n of K. Throws DataError with `not_definite` as its text when H has no factor.
  template <class T>
  KernelCholesky(const kernel_matrix::Columns<T>& columns, const std::vector<double>& ridge, const char* not_definite,
                 base::ThreadPool& pool);

  std::size_t bytes() const { return factor_.bytes() + block_bytes_; }
  /// x = H^-1 x for m columns (n x m, column-major).
  void solve(double* x, Index m) const;
  /// r -= H x + offset.
  void subtract_product(const double* x, double offset, double* r) const;

 private:
  Index n_;
  base::ThreadPool& pool_;
  base::Buffer<double> factor_;   // column-major; the strict upper triangle is still that of H
  std::vector<double> diagonal_;  // of H
  std::size_t block_bytes_ = 0;
};

}  // namespace dcsvm::least_squares
