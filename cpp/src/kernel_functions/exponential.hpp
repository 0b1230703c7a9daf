// exp(-gamma |x - y|), Matern's of nu = 1/2.
#pragma once

#include <cmath>

#include "kernel_functions/matern.hpp"

namespace dcsvm::kernels {

/// Its slope by |x - y|^2 has no bound at 0.
struct Exponential : Matern {
  static constexpr KernelType kType = KernelType::exponential;
  static constexpr bool kGradient = true;
  template <class Lanes>
  static typename Lanes::Vector value(const Lanes& lanes, typename Lanes::Vector distance) {
    return lanes.exp_minus(lanes.root(distance), lanes.gamma());
  }

  double slope(double t) const { return gamma() * std::exp(-gamma() * std::sqrt(t)) / (2.0 * std::sqrt(t)); }
  double of_distance() const { return 0.5 / kE; }
  double relative(double c) const { return 3.0 + of_distance() * c; }
  double of_length() const { return gamma(); }
  double path(double r) const { return std::sqrt(2.0 * gamma() * r); }
  double of_log_gamma() const { return 1.0 / kE; }
  double log_gamma_norm(double d) const { return log_gamma_norm_of(0.5, d); }

  Gradient gradient() const { return {p, gamma() * gamma(), Gradient::Form::length, true}; }
};

}  // namespace dcsvm::kernels
