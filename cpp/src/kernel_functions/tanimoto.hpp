// x'y / (|x|^2 + |y|^2 - x'y): what both points have of what either has.
#pragma once

#include <cmath>

#include "kernel_functions/kernel.hpp"

namespace dcsvm::kernels {

/// z / (|x|^2 + |y|^2 - z), z = x'y <= (|x|^2 + |y|^2) / 2: positive definite for all vectors, being the series of
/// z^k / (|x|^2 + |y|^2)^k. Relative errors of z and the norms become at most as many absolute ones of K, times 2 and 4.
struct Tanimoto : Unit {
  static constexpr KernelType kType = KernelType::tanimoto;
  static constexpr bool kRatio = true;
  template <class Lanes>
  static typename Lanes::Vector value(const Lanes& lanes, typename Lanes::Vector both, typename Lanes::Vector either) {
    return either == typename Lanes::Vector{} ? lanes.all(1) : both / either;  // of two zero vectors: 1
  }

  double single_error(double) const { return 10.0; }

  Rounding rounding(const OfProducts& of) const {
    // The denominator is at least half of |x|^2 + |y|^2 >= 2 |z|: a relative error of z moves K by at most twice that, one of a
    // norm as much. Three operations follow, the sum of the norms with up to twice its rounding.
    constexpr double kOperations = 6.0, kOfProduct = 2.0, kOfNorms = 2.0;
    // Of bytes products and norms are exact; what they move features by is relative to |x| |y|, as an inner product's.
    const double inner = of.bytes ? of.moved : of.deviation, worst = of.bytes ? of.moved : of.worst;
    Rounding r;
    r.deviation = of.u * std::hypot(kOperations, kOfProduct * inner, kOfNorms * inner + 6.0);
    r.largest = of.u * (kOperations + (kOfProduct + kOfNorms) * worst + 6.0);
    r.shared = of.u * 6.0;
    r.of_row = of.u * kOfNorms * inner;
    r.of_row_largest = of.u * kOfNorms * worst;
    // Roundings of the norms of rows far from 0 have one sign, in all values of a row.
    r.typical = r.deviation + 3.0 * r.of_row + r.shared;
    return r;
  }
};

}  // namespace dcsvm::kernels
