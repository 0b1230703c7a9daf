// Searches along a direction, for functions of a step length t > 0.
// [1] Nocedal, Wright: Numerical Optimization (2006), section 3.1.
#pragma once

#include <algorithm>
#include <cmath>

namespace dcsvm::optimise {

inline constexpr int kMostHalvings = 30;  ///< of a step: beyond them only the rounding of the values is seen
inline constexpr double kArmijoShare = 0.01;  ///< LIBLINEAR's; a small one takes full steps wherever they gain anything ([1])

struct LineStep {
  double t = 0;      ///< 0: none was good enough
  double value = 0;  ///< of the function there
};

/// Backtracking by Armijo's rule: the first of t, t / 2, t / 4, ... at which value(t) is below `start`, its value at 0, by a
/// share of what the derivative there, `along` < 0, promises.
template <class Value>
LineStep armijo(const Value& value, double start, double along, double t) {
  for (int k = 0; k < kMostHalvings; ++k, t *= 0.5) {
    const double now = value(t);
    if (now - start <= kArmijoShare * t * along) return {t, now};
  }
  return {0.0, start};
}

/// A step length of (0, 1] for a convex function: 1 where its derivative is not positive there; else one at which the derivative
/// is small beside that at 0, along < 0. By false position between a falling and a rising point: Newton's method fails
/// where derivatives have corners.
template <class Derivative>
double false_position(const Derivative& derivative, double along) {
  constexpr double kFlat = 0.1;  // a smaller share costs trials, and saves no step
  constexpr int kMostTrials = 20;  // the bracket of a derivative with jumps may stay wide
  constexpr double kEnd = 0.05;  // a trial keeps this share of the bracket away from its ends
  const double enough = kFlat * std::abs(along);
  double low = 0, high = 1, at_low = along, at_high = derivative(1.0), t = 1.0;
  bool ends = !(at_high > enough);
  for (int k = 0; k < kMostTrials && !ends; ++k) {
    t = low + (high - low) * std::clamp(at_low / (at_low - at_high), kEnd, 1.0 - kEnd);
    const double now = derivative(t);
    ends = !(std::abs(now) > enough);
    // The Illinois rule halves the derivative of the end that stays, so that neither stays for ever.
    if (now > 0) {
      high = t;
      at_high = now;
      at_low *= 0.5;
    } else {
      low = t;
      at_low = now;
      at_high *= 0.5;
    }
  }
  return t;
}

}  // namespace dcsvm::optimise
