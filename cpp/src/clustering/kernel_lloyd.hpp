// Step 1 of two-step kernel k-means: Lloyd's iteration in feature space on a dense kernel block.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "base/thread_pool.hpp"

namespace dcsvm::clustering {

/// Kernel k-means on the m x m kernel block `kernel` (row-major, symmetric): k-means++ seeding in feature space (each seed the
/// best of three candidates drawn by squared distance), then Lloyd's iteration until nothing moves or `max_iterations`. Each
/// iteration costs m x (points that moved). Returns the cluster of every point, numbered from 0 without gaps; there are
/// fewer than `clusters` when fewer distinct points exist. Ties go to the lower cluster. 1 <= clusters.
/// Empty clusters take the point farthest from its centre, or are dropped when every point equals its centre.
template <class T>
std::vector<std::int32_t> kernel_lloyd(const T* kernel, Index m, Index clusters, int max_iterations, base::Random& random,
                                       base::ThreadPool& pool);

}  // namespace dcsvm::clustering
