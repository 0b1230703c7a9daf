// The second step of the training: the weights w of a tree whose paths and local factors stay.
//
// min over W of 1/2 |W|^2 + sum C_i max(0, 1 - y_i f_i), f_i = sum over row i's path of t_ik w_k'z_i, t_ik = tanh(sigma v_k'z_i),
// is a linear SVM without a bias whose row i has the blocks t_ik z_i. Its dual, max over 0 <= a_i <= C_i of sum a_i - 1/2
// |W(a)|^2 with W_k(a) = sum a_i y_i t_ik z_i, is solved by descent on one a_i after another (Hsieh, Chang, Lin, Keerthi,
// Sundararajan: A Dual Coordinate Descent Method for Large-scale Linear SVM, ICML 2008).
#pragma once

#include "base/context.hpp"
#include "ldkl/smooth_tree.hpp"

namespace dcsvm::ldkl {

struct WeightsFit {
  std::vector<double> w;  ///< nodes x cols
  double objective = 0, dual_objective = 0;  ///< times lambda_w: as dcsvm/ldkl.hpp has the problem
  double violation = 0;  ///< their difference as a share of the objective, in the units of `rows`
  std::int64_t n_iter = 0;
  StopReason stop_reason = StopReason::converged;
};

/// vectors: a tree's, whose w is not read.
WeightsFit fit_weights(const Rows& rows, const Shape& shape, const double* vectors, const LdklParams& params, Index problem,
                       Index problems, base::Context& context);

}  // namespace dcsvm::ldkl
