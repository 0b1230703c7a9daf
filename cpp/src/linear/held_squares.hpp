// The diagonal of X' D X from one step of a solve to the next, D the curvatures of the rows' losses.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/matrix.hpp"

namespace dcsvm::linear {

/// Share of the rows with a curvature from which sums over rows are formed anew, instead of being brought up to date.
inline constexpr double kRebuild = 0.6;

/// Whether a row's curvature has changed by so much that sums over the rows must follow.
inline bool lags(double held, double curvature) {
  constexpr double kLag = 0.2;
  return std::abs(curvature - held) > kLag * std::min(curvature, held);
}

/// Sums over the rows of curvature x_ij^2, and the curvatures that are in them.
struct HeldSquares {
  std::vector<double> curvature, sums;

  /// Only rows are added or taken away whose curvature has changed by more than a fifth.
  void update(const data::Matrix& x, const std::vector<double>& now, base::ThreadPool& pool);
};

}  // namespace dcsvm::linear
