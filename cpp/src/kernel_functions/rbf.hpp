// exp(-gamma |x - y|^2).
#pragma once

#include <cmath>

#include "kernel_functions/kernel.hpp"

namespace dcsvm::kernels {

struct Rbf : Distance {
  static constexpr KernelType kType = KernelType::rbf;
  static constexpr bool kGradient = true;
  static constexpr bool kShifts = true, kFactors = true, kProduct = true;
  template <class Lanes>
  static typename Lanes::Vector value(const Lanes& lanes, typename Lanes::Vector distance) {
    return lanes.exp_minus(distance, lanes.gamma());
  }

  double single_error(double s) const { return 4.0 * gamma() * s; }
  double slope(double t) const { return gamma() * std::exp(-gamma() * t); }
  double of_distance() const { return 1.0 / kE; }
  // max over a of exp(-a) (2 + c a), a = gamma t: the exponential and its result have 2 roundings.
  static double relative(double c) { return c > 2.0 ? c * std::exp(2.0 / c - 1.0) : 2.0; }
  double of_length() const { return std::sqrt(2.0 * gamma() / kE); }
  double path(double r) const { return r * std::sqrt(2.0 * gamma()); }
  double of_log_gamma() const { return 1.0 / kE; }
  // The spectrum is that of K times |w|^2 / (4 gamma) - d / 2, whose variance under a normal density the square is.
  double log_gamma_norm(double d) const { return std::sqrt(0.5 * d); }

  static double log_factor(double gamma, double difference) { return -gamma * difference * difference; }
  Gradient gradient() const { return {p, 2.0 * gamma(), Gradient::Form::value, true}; }
};

}  // namespace dcsvm::kernels
