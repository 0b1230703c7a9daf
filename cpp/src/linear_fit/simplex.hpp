// The projection of a point on a simplex.
// Michelot: A finite algorithm for finding the projection of a point onto the canonical simplex of R^n (Journal of Optimization
// Theory and Applications 50, 1986).
#pragma once

#include <algorithm>
#include <limits>

#include "dcsvm/data.hpp"

namespace dcsvm::linear_fit {

/// The projection of v[0 .. k) on {p >= 0, sum p = total}, total > 0, is max(0, v - theta): subtracts the largest v from all of
/// them, so that no digits are lost where they are far larger than total, and returns theta for what is left. At most k rounds.
inline double shift_on_simplex(double* v, Index k, double total) {
  double most = -std::numeric_limits<double>::infinity();
  for (Index m = 0; m < k; ++m) most = std::max(most, v[m]);
  Index above = 0;
  for (Index m = 0; m < k; ++m) {
    v[m] -= most;
    above += v[m] > -total ? 1 : 0;
  }
  double theta = -total;  // no larger than the one sought: rises until no value leaves those above it
  for (Index before = k + 1; above > 1;) {
    double sum = -total;
    above = 0;
    for (Index m = 0; m < k; ++m) {
      sum += v[m] > theta ? v[m] : 0.0;
      above += v[m] > theta ? 1 : 0;
    }
    // Values equal to theta up to rounding may come and go for ever: only fewer than before are a reason to go on.
    if (above >= before) break;
    theta = sum / static_cast<double>(above);
    before = above;
  }
  return theta;
}

}  // namespace dcsvm::linear_fit
