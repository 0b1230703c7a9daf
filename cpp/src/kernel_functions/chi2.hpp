// exp(-gamma sum_k (x_k - y_k)^2 / (x_k + y_k)), features >= 0.
#pragma once

#include "kernel_functions/of_sum.hpp"

namespace dcsvm::kernels {

/// t = |phi(x) - phi(y)|^2 in a space of endless dimension, where the derivative by log gamma has no norm that is known here.
struct Chi2 : OfSum {
  static constexpr KernelType kType = KernelType::chi2;
  static constexpr Term kTerm = Term::harmonic;
  static constexpr bool kShifts = false;
  static constexpr double kOfTerm = 6.0, kOfFeature = 3.0;
  double log_gamma_norm(double) const { return kInfinite; }
  double path(double) const { return kInfinite; }
};

}  // namespace dcsvm::kernels
