// (1 + a) exp(-a), a = sqrt(3) gamma |x - y|: Matern's of nu = 3/2.
#pragma once

#include <cmath>

#include "kernel_functions/matern.hpp"

namespace dcsvm::kernels {

/// dK / da = -a exp(-a).
struct Matern32 : Matern {
  static constexpr KernelType kType = KernelType::matern32;
  static constexpr bool kGradient = true;
  static constexpr double kFactor = 1.7320508075688772;
  template <class Lanes>
  static typename Lanes::Vector value(const Lanes& lanes, typename Lanes::Vector distance) {
    using T = typename Lanes::Number;
    const auto a = lanes.exponent(lanes.root(distance) * (lanes.gamma() * T(kFactor)));
    return (a + T(1)) * lanes.exp_minus(a, T(1));
  }

  template <class T>
  double gamma_error() const {
    return error_of_exponent<T>(gamma(), kFactor);
  }
  double slope(double t) const { return 1.5 * gamma() * gamma() * std::exp(-kFactor * gamma() * std::sqrt(t)); }
  double of_distance() const { return 2.0 * std::exp(-2.0); }
  double relative(double c) const { return 6.0 + of_distance() * c; }
  double of_length() const { return kFactor * gamma() / kE; }
  double path(double r) const { return kFactor * gamma() * r; }
  double of_log_gamma() const { return 4.0 * std::exp(-2.0); }
  double log_gamma_norm(double d) const { return log_gamma_norm_of(1.5, d); }

  Gradient gradient() const { return gradient_by(KernelType::exponential, 3.0, 3.0); }
};

}  // namespace dcsvm::kernels
