// exp(-gamma sum_k |x_k - y_k|).
#pragma once

#include <cmath>

#include "kernel_functions/of_sum.hpp"

namespace dcsvm::kernels {

/// The spectrum is a product over the features of Cauchy's: Exponential's with d = 1, d times.
struct Laplacian : OfSum {
  static constexpr KernelType kType = KernelType::laplacian;
  static constexpr Term kTerm = Term::smaller;
  static constexpr bool kShifts = true, kProduct = true;
  static constexpr double kOfTerm = 1.0, kOfFeature = 1.0;
  double path(double r) const { return std::sqrt(2.0 * gamma() * r); }
  double log_gamma_norm(double d) const { return std::sqrt(0.5 * d); }

  static double log_factor(double gamma, double difference) { return -gamma * std::abs(difference); }
};

}  // namespace dcsvm::kernels
