#include "clustering/random_clusters.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"

namespace dcsvm::clustering {

Partition random_clusters(Index n, Index k, std::uint64_t seed) {
  Partition part;
  part.clusters = std::min(n, k);
  part.sizes.assign(part.clusters, 0);
  part.assignment.resize(n);
  for (Index i = 0; i < n; ++i) {
    part.assignment[i] = static_cast<std::int32_t>(i % part.clusters);
    ++part.sizes[part.assignment[i]];
  }
  base::Random random(seed);
  for (Index i = n - 1; i > 0; --i) std::swap(part.assignment[i], part.assignment[random.below(i + 1)]);  // Fisher, Yates
  return part;
}

}  // namespace dcsvm::clustering
