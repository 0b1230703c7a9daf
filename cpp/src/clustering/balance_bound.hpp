// How large a cluster may be.
#pragma once

#include <algorithm>

#include "dcsvm/data.hpp"

namespace dcsvm::clustering {

/// Largest size that balancing allows among `clusters` clusters of n points: four times the mean, for few clusters less.
/// A tighter bound cuts through dense regions: at twice the mean, covtype's early accuracy at 64 clusters falls by 0.2 points.
inline Index balance_bound(Index n, Index clusters) {
  if (clusters < 2) return n;
  const Index mean = (n + clusters - 1) / clusters;
  return std::max<Index>(1, std::min(4 * mean, (n + mean) / 2));
}

}  // namespace dcsvm::clustering
