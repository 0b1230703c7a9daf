// Algorithm 1 of dcpred: W-bar of Eq. (5), and the linear problem that the approximate kernel C-bar W-bar C-bar' turns training
// into.
#pragma once

#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::dc_pred {

/// Factor of W-bar = C^+ G (C^+)' (Eq. 5), rows of C and G named by a sample I: k x cols with W-bar = factor factor'.
/// Directions in which C has less than kSingularCut of its largest singular value, and those where W-bar is not positive, are
/// left out.
struct WeightFactor {
  Index k = 0, cols = 0;
  std::vector<double> values;  ///< k x cols row-major
};
constexpr double kSingularCut = 1e-5;
/// c: |I| x k, g: |I| x |I|, both row-major.
WeightFactor weight_factor(const std::vector<double>& c, Index k, const std::vector<double>& g);

/// min_w,b 1/2 w'w + sum_i C_i max(0, 1 - y_i (F_i w + b))^2, or with `squared` 1/2 w'w + sum_i C_i (y_i - F_i w - b)^2.
struct LinearFit {
  const double* features = nullptr;  ///< n x k row-major
  Index n = 0, k = 0;
  const double* targets = nullptr;   ///< n: +1 / -1; squared: any
  const double* C = nullptr;         ///< n
  bool fit_intercept = true;
  double tol = 1e-3;                 ///< stop when the gradient is below this share of that at 0
  bool squared = false;
};
/// k weights and the intercept. Newton's method with a line search (Keerthi, DeCoste: A modified finite Newton method, JMLR 6,
/// 2005); at most 50 steps.
std::vector<double> fit_linear(const LinearFit& problem);

}  // namespace dcsvm::dc_pred
