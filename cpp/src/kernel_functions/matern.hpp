// What the kernels of Matern's family have in common.
#pragma once

#include <cmath>

#include "kernel_functions/kernel.hpp"

namespace dcsvm::kernels {

/// Functions of gamma |x - y| whose spectrum is a^(2 nu) / (a^2 + |w|^2)^(nu + d / 2), a = sqrt(2 nu) gamma. The derivative by
/// log gamma multiplies it with 2 nu - (2 nu + d) b, b = a^2 / (a^2 + |w|^2), which has the density Beta(nu, d / 2).
struct Matern : Distance {
  static constexpr bool kShifts = true, kFactors = false;
  double single_error(double s) const { return 1.0 + 4.0 * gamma() * gamma() * s; }
  static double log_gamma_norm_of(double nu, double d) { return std::sqrt(4.0 * nu * d / (2.0 * nu + d + 2.0)); }

 protected:
  /// The slope is `squared` gamma^2 times the value of `less` with gamma sqrt(wider).
  Gradient gradient_by(KernelType less, double squared, double wider) const {
    KernelParams kernel = p;
    kernel.type = less;
    kernel.gamma *= std::sqrt(wider);
    return {kernel, squared * gamma() * gamma(), Gradient::Form::value, true};
  }
};

}  // namespace dcsvm::kernels
