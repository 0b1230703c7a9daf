// tanh(gamma x'y + coef0).
#pragma once

#include <cmath>

#include "kernel_functions/kernel.hpp"

namespace dcsvm::kernels {

/// largest() is that of the argument of tanh, which has about the rounding of its argument.
struct Sigmoid : Kernel {
  static constexpr KernelType kType = KernelType::sigmoid;
  static constexpr bool kGradient = true;
  template <class Lanes>
  static typename Lanes::Vector value(const Lanes& lanes, typename Lanes::Vector product) {
    return lanes.tanh(product * lanes.gamma() + lanes.coef0());
  }

  double of_itself(double s) const { return std::tanh(p.gamma * s + p.coef0); }
  double largest(double s) const { return 1.0 + p.gamma * s; }
  double single_error(double s) const { return std::abs(p.gamma) * s + std::abs(p.coef0); }

  Rounding rounding(const OfProducts& of) const {
    const Argument error = argument_of(p, of);
    Rounding r;
    r.typical = of.u * of.largest;
    r.deviation = error.deviation + 4.0 * of.u;  // tanh has a slope of at most 1
    r.largest = error.largest + 4.0 * of.u;
    r.shared = error.shared;
    return r;
  }

  Gradient gradient() const { return {p, p.gamma, Gradient::Form::tanh}; }
};

}  // namespace dcsvm::kernels
