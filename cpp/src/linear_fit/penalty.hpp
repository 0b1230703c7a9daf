// What a weight costs: l1 |w| + l2 / 2 w^2, the elastic net. Both 0: the weight is free.
#pragma once

#include <algorithm>
#include <cmath>

namespace dcsvm::linear_fit {

struct Penalty {
  double l1 = 0.0, l2 = 1.0;

  bool none() const { return l1 == 0 && l2 == 0; }
  double value(double w) const { return l1 * std::abs(w) + 0.5 * l2 * w * w; }
  /// max_w u w - value(w), for |u| <= l1 where l2 is 0.
  double conjugate(double u) const {
    const double beyond = std::max(0.0, std::abs(u) - l1);
    return l2 > 0 ? 0.5 * beyond * beyond / l2 : 0.0;
  }
  /// How far w is from the condition of optimality, where the losses' gradient is g: -g is in the subdifferential of value at w.
  double distance(double w, double g) const {
    g += l2 * w;
    if (w > 0) return std::abs(g + l1);
    if (w < 0) return std::abs(g - l1);
    return std::max(0.0, std::abs(g) - l1);
  }
  /// Whether a weight that is 0 stays so by more than `margin`.
  bool keeps_zero(double g, double margin) const { return std::abs(g) < l1 - margin; }
  /// The change t of w that minimises g t + 1/2 h t^2 + value(w + t), h > 0.
  double step(double w, double g, double h) const {
    g += l2 * w;
    h += l2;
    if (g + l1 < h * w) return -(g + l1) / h;
    if (g - l1 > h * w) return -(g - l1) / h;
    return -w;
  }
};

}  // namespace dcsvm::linear_fit
