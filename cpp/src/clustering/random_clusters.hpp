// Clusters drawn at random: what a clustering must beat.
#pragma once

#include <cstdint>

#include "clustering/kmeans.hpp"

namespace dcsvm::clustering {

/// A partition of n points into k >= 1 clusters, at most n, whose sizes differ by at most 1; without centres.
Partition random_clusters(Index n, Index k, std::uint64_t seed);

}  // namespace dcsvm::clustering
