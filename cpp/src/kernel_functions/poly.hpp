// (gamma x'y + coef0)^degree.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernel_functions/kernel.hpp"

namespace dcsvm::kernels {

struct Poly : Kernel {
  static constexpr KernelType kType = KernelType::poly;
  static constexpr bool kGradient = true;
  template <class Lanes>
  static typename Lanes::Vector value(const Lanes& lanes, typename Lanes::Vector product) {
    return lanes.power(product * lanes.gamma() + lanes.coef0(), lanes.degree());
  }

  double of_itself(double s) const { return std::pow(p.gamma * s + p.coef0, p.degree); }
  double largest(double s) const { return std::pow(p.gamma * s + std::abs(p.coef0), p.degree); }
  double single_error(double s) const { return std::pow(std::abs(p.gamma) * s + std::abs(p.coef0), p.degree) * p.degree; }

  Rounding rounding(const OfProducts& of) const {
    const Argument error = argument_of(p, of);
    const double degree = p.degree, argument = p.gamma * of.norm2 + std::abs(p.coef0);
    const double slope = degree > 0 ? degree * std::pow(argument, degree - 1) : 0.0;
    Rounding r;
    r.typical = of.u * of.largest;
    r.value = of.largest;
    r.deviation = slope * error.deviation + of.u * 2.0 * degree * of.largest;
    r.largest = slope * error.largest + of.u * 2.0 * degree * of.largest;
    r.shared = slope * error.shared;
    // The parts of f of each degree are orthogonal in the space of the kernel, and the derivative by log gamma multiplies that
    // of degree k by k <= degree.
    if (p.coef0 >= 0 && argument > 0) r.shared_norm = degree * error.shared / argument * std::sqrt(of.largest);
    return r;
  }

  Gradient gradient() const {
    KernelParams lower = p;
    lower.degree = std::max(0, p.degree - 1);
    return {lower, p.gamma * p.degree};
  }
};

}  // namespace dcsvm::kernels
