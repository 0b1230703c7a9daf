// The diagonal of X' D X from one step of a solve to the next, D the curvatures of the rows' losses.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "products/matrix.hpp"

namespace dcsvm::products {

/// Where more than this share of the rows with a curvature has changed, sums over rows are formed anew.
inline constexpr double kRebuild = 0.6;  ///< to bring them up to date takes a row away and adds it: nearly twice the work

/// Whether a row's curvature is so far from the one that is in the sums (`held`) that the sums must follow.
inline bool lags(double held, double curvature) {
  constexpr double kLag = 0.2;  // a preconditioner need not be nearer to the diagonal
  return std::abs(curvature - held) > kLag * std::min(curvature, held);
}

/// Sums over the rows of curvature x_ij^2, and the curvatures that are in them.
struct HessianDiagonal {
  std::vector<double> curvature, sums;

  /// Brings the sums up to date with the curvatures `now`: only rows that lag are added or taken away.
  void update(const Matrix& x, const std::vector<double>& now, base::ThreadPool& pool);
};

}  // namespace dcsvm::products
