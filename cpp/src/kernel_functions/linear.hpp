// x'y.
#pragma once

#include <cmath>

#include "kernel_functions/kernel.hpp"

namespace dcsvm::kernels {

struct Linear : Kernel {
  static constexpr KernelType kType = KernelType::linear;
  static constexpr bool kGradient = true;
  template <class Lanes>
  static typename Lanes::Vector value(const Lanes&, typename Lanes::Vector product) {
    return product;
  }

  double of_itself(double s) const { return s; }
  double largest(double s) const { return s; }
  double single_error(double s) const { return s; }

  Rounding rounding(const OfProducts& of) const {
    Rounding r;
    r.typical = of.u * of.largest;
    r.value = of.largest;
    r.deviation = of.u * of.largest * (of.bytes ? 3.0 + of.moved : 1.0 + of.deviation);
    r.largest = of.u * of.largest * (of.bytes ? 3.0 + of.moved : 1.0 + of.worst);
    r.shared = of.u * of.largest * (1.0 + of.moved);
    r.shared_norm = of.u * std::sqrt(of.largest) * (1.0 + of.moved);
    return r;
  }

  Gradient gradient() const {
    KernelParams one = p;
    one.type = KernelType::poly;
    one.degree = 0;  // (...)^0 = 1
    return {one, 1.0};
  }
};

}  // namespace dcsvm::kernels
