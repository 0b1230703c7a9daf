// The Hessian of losses and regulariser, R + X' D X, from all rows or from a sample of them, and its Cholesky factor: what
// conjugate gradients are preconditioned with where X is narrow.
#pragma once

#include <vector>

#include "products/gram_matrix.hpp"

namespace dcsvm::linear_fit {

using products::Matrix;

class SampledHessian {
 public:
  /// shared: products with X' D X serve several problems, and cost each of them less. most_blocks: see products::GramMatrix.
  SampledHessian(const Matrix& x, Index most_blocks, bool shared)
      : x_(x), d_(x.cols()), shared_(shared), gram_(x, most_blocks, shared) {}

  /// Whether rows may be left out: update() then looks at `squares`.
  bool samples() const;
  /// Whether the factor pays for itself: products with X' D X, n of which have been done since the last one, cost more. So many
  /// are sure to follow that a cheap factor always does.
  bool pays(Index n_products) const;
  /// Brings the factor up to date. regulariser: R, of each column, 0 where a weight is free. squares: sums of curvature x_ij^2,
  /// or null where they are not known. It stays as it is where few rows have another curvature. Returns whether there is one:
  /// rounding may leave nothing that is positive definite.
  bool update(const std::vector<double>& curvature, const std::vector<double>& regulariser, const double* squares,
              products::TileRows& scratch, base::ThreadPool& pool);
  bool factored() const { return factored_; }
  /// Whether the factor is that of R + X' D X itself.
  bool exact(const std::vector<double>& curvature) const { return factored_ && gram_.exact(curvature); }
  /// Solves for `columns` vectors, one after another in y.
  void solve(double* y, Index columns) const;

 private:
  double product_cost() const;
  double sampled_rows(double active) const;
  Index choose_step(double active) const;

  const Matrix& x_;
  Index d_;
  bool shared_;
  products::HeldGram gram_;
  std::vector<double> factor_;
  bool factored_ = false;
};

}  // namespace dcsvm::linear_fit
