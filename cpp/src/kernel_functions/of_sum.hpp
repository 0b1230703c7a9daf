// What the kernels of sums of the features' distances have in common.
#pragma once

#include <cmath>

#include "kernel_functions/rbf.hpp"

namespace dcsvm::kernels {

/// exp(-gamma t) of a sum t of distances of features.
struct OfSum : Distance {
  static constexpr bool kFactors = true;
  template <class Lanes>
  static typename Lanes::Vector value(const Lanes& lanes, typename Lanes::Vector distance) {
    return lanes.exp_minus(distance, lanes.gamma());
  }

  double single_error(double s) const { return 4.0 * gamma() * s; }
  double slope(double t) const { return gamma() * std::exp(-gamma() * t); }
  double of_distance() const { return 1.0 / kE; }
  static double relative(double c) { return Rbf::relative(c); }
  double of_length() const { return gamma(); }
  double of_log_gamma() const { return 1.0 / kE; }
};

}  // namespace dcsvm::kernels
