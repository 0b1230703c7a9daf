// One variable of the dual problem of a hinge loss at a time: linear, low-rank and LDKL models descend so.
// [1] Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate descent method for large-scale linear SVM (ICML 2008).
//
//   min_b 1/2 |sum y_i b_i x_i|^2 + sum (D_i / 2 b_i^2 - b_i),  0 <= b_i <= U_i;  derivative g_i = y_i w'x_i - 1 + D_i b_i
//
// hinge: U = C, D = 0; squared hinge: U = infinity, D = 1 / (2 C).
#pragma once

#include <algorithm>
#include <limits>

namespace dcsvm::optimise {

struct HingeDual {
  double upper, curve;  ///< U, D

  HingeDual(bool squared, double C)
      : upper(squared ? std::numeric_limits<double>::infinity() : C), curve(squared && C > 0 ? 0.5 / C : 0.0) {}
  /// The row's term of the problem above.
  double term(double b) const { return 0.5 * curve * b * b - b; }
};

/// The derivative, or 0 where a step against it would leave the bounds.
inline double projected(double b, double derivative, double upper) {
  return b <= 0 ? std::min(derivative, 0.0) : b >= upper ? std::max(derivative, 0.0) : derivative;
}

/// The minimum along b, where the second derivative is q. q = 0: the row is 0, and the problem is linear in b.
inline double dual_minimum(double b, double derivative, double q, double upper) {
  return q > 0 ? std::clamp(b - derivative / q, 0.0, upper) : derivative < 0 ? upper : 0.0;
}

/// The shrinking of [1]: variables at a bound leave the active set where their derivatives hold them there by more than the
/// largest and the smallest projected derivative of the pass before.
class Shrinking {
 public:
  bool leaves(double b, double derivative, double upper) const {
    return b <= 0 ? derivative > high_ : b >= upper && derivative < low_;
  }
  void see(double projected) {
    largest_ = std::max(largest_, projected);
    smallest_ = std::min(smallest_, projected);
  }
  double largest() const { return largest_; }
  double smallest() const { return smallest_; }
  /// What the pass has seen holds for the next one.
  void next_pass() {
    high_ = largest_ > 0 ? largest_ : kNone;
    low_ = smallest_ < 0 ? smallest_ : -kNone;
    largest_ = -kNone;
    smallest_ = kNone;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double high_ = kNone, low_ = -kNone, largest_ = -kNone, smallest_ = kNone;
};

}  // namespace dcsvm::optimise
