// What conjugate gradients are preconditioned with.
// [1] Hsia, Chiang, Lin: Preconditioned conjugate gradient methods in truncated Newton frameworks (ACML 2018): the diagonal.
//
// Narrow X: a factor of the Hessian, where that pays (sampled_hessian.hpp).
#pragma once

#include <memory>
#include <vector>

#include "linear_fit/problem.hpp"
#include "linear_fit/sampled_hessian.hpp"
#include "products/pieces.hpp"

namespace dcsvm::linear_fit {

/// M for the Hessian H = R + X' D X of one problem, D the curvatures of its rows.
class Preconditioner {
 public:
  /// shared: squares() come from outside, in one pass for all problems on the same X. squares: null, or sums of the same problem
  /// for nearly the same curvatures, from which it goes on and which it keeps up to date.
  Preconditioner(const Problem& problem, bool shared, HessianDiagonal* squares, std::size_t cap_bytes);

  /// Decides what set() will do, once before each step. True: squares() must hold the sums of curvature x_ij^2 by then.
  bool needs_diagonal();
  double* squares() { return squares_.sums.data(); }
  void set(const std::vector<double>& curvature, products::TileRows& scratch, base::ThreadPool& pool);
  /// Takes note that a product H v has been done: a factor must pay for itself.
  void count_product() { ++n_products_; }
  /// Whether M is H itself.
  bool exact() const { return exact_; }
  /// out = M^-1 r.
  void solve(const std::vector<double>& r, std::vector<double>& out, base::ThreadPool& pool) const;

 private:
  const Problem& p_;
  bool shared_, builds_ = false, exact_ = false;
  Index d_, n_products_ = 0;  // since the last factor
  std::unique_ptr<SampledHessian> hessian_;  // of narrow X
  std::vector<double> regulariser_;
  HessianDiagonal own_squares_;
  HessianDiagonal& squares_;
  std::vector<double> inverse_;  // of the diagonal, where nothing is factored
};

}  // namespace dcsvm::linear_fit
