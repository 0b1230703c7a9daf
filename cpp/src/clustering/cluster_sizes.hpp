// Sizes of clusters, and how large balancing allows one to be.
#pragma once

#include <cstdint>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::clustering {

/// Largest size that balancing allows among `clusters` clusters of n points: four times the mean, for few clusters less.
/// A tighter bound cuts through dense regions: at twice the mean, covtype's early accuracy at 64 clusters falls by 0.2 points.
Index balance_bound(Index n, Index clusters);
/// How many sampled points tell the sizes of `clusters` clusters well enough to balance them.
Index probe_size(Index clusters);

std::vector<Index> count_members(const std::vector<std::int32_t>& assignment, Index clusters);
double sum_of_squares(const std::vector<Index>& sizes);
/// The `keep` largest clusters, ascending; ties to the lower.
std::vector<Index> largest(const std::vector<Index>& sizes, Index keep);

}  // namespace dcsvm::clustering
