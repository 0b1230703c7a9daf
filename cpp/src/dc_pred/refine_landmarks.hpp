// Moves landmarks to where they serve a leaf's training rows best. Beyond the paper: k-means places landmarks where the model's
// weight is, which bounds the error of the kernel; with a dozen landmarks in many dimensions what counts is the decision itself.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "data/dense_rows.hpp"
#include "dc_pred/leaf_fit.hpp"

namespace dcsvm::dc_pred {

struct RefineProblem {
  data::DenseRows rows;
  double gamma = 1;                 ///< of the rbf kernel
  Index outputs = 1;
  const double* targets = nullptr;  ///< outputs x n
  const double* C = nullptr;        ///< n
  bool fit_intercept = true;
  bool squared = false;  ///< (y_io - f_io)^2 in place of the hinge
};

/// Descends on sum_o 1/2 |beta_o|^2 + sum_i C_i max(0, 1 - y_io (sum_j beta_oj exp(-gamma |x_i - u_j|^2) + b_o))^2 over landmarks
/// u (m x stride), beta and b by L-BFGS (Nocedal, Wright: Numerical Optimization, Algorithm 7.5), from the best beta and b for
/// the given u. Returns the value reached, never above the start's. The same for any number of threads.
double refine_landmarks(const RefineProblem& problem, int max_steps, base::ThreadPool& pool, std::vector<float>& landmarks);

}  // namespace dcsvm::dc_pred
