// (1 + a + a^2 / 3) exp(-a), a = sqrt(5) gamma |x - y|: Matern's of nu = 5/2.
#pragma once

#include <cmath>

#include "kernel_functions/matern.hpp"

namespace dcsvm::kernels {

/// dK / da = -a (1 + a) exp(-a) / 3.
struct Matern52 : Matern {
  static constexpr KernelType kType = KernelType::matern52;
  static constexpr bool kGradient = true;
  static constexpr double kFactor = 2.23606797749979;
  template <class Lanes>
  static typename Lanes::Vector value(const Lanes& lanes, typename Lanes::Vector distance) {
    using T = typename Lanes::Number;
    const auto a = lanes.exponent(lanes.root(distance) * (lanes.gamma() * T(kFactor)));
    return ((a * T(1.0 / 3.0) + T(1)) * a + T(1)) * lanes.exp_minus(a, T(1));
  }

  template <class T>
  double gamma_error() const {
    return error_of_exponent<T>(gamma(), kFactor);
  }
  double slope(double t) const {
    const double a = kFactor * gamma() * std::sqrt(t);
    return 5.0 / 6.0 * gamma() * gamma() * (1.0 + a) * std::exp(-a);
  }
  double of_distance() const { return 0.5 * of_log_gamma(); }
  double relative(double c) const { return 8.0 + of_distance() * c; }
  double of_length() const { return 0.6262 * gamma(); }  // at a = (1 + sqrt(5)) / 2
  double path(double r) const { return std::sqrt(5.0 / 3.0) * gamma() * r; }
  double of_log_gamma() const { return 0.6046; }  // at a = 1 + sqrt(3)
  double log_gamma_norm(double d) const { return log_gamma_norm_of(2.5, d); }

  Gradient gradient() const { return gradient_by(KernelType::matern32, 5.0 / 3.0, 5.0 / 3.0); }
};

}  // namespace dcsvm::kernels
