#include "clustering/cluster_sizes.hpp"

#include <algorithm>
#include <numeric>

namespace dcsvm::clustering {

Index balance_bound(Index n, Index clusters) {
  if (clusters < 2) return n;
  const Index mean = (n + clusters - 1) / clusters;
  return std::max<Index>(1, std::min(4 * mean, (n + mean) / 2));
}

Index probe_size(Index clusters) {
  constexpr Index kPerCluster = 128, kFewest = 16384;
  return std::max(kFewest, kPerCluster * clusters);
}

std::vector<Index> count_members(const std::vector<std::int32_t>& assignment, Index clusters) {
  std::vector<Index> count(clusters, 0);
  for (const std::int32_t c : assignment) ++count[c];
  return count;
}

double sum_of_squares(const std::vector<Index>& sizes) {
  double sum = 0.0;
  for (const Index n : sizes) sum += static_cast<double>(n) * static_cast<double>(n);
  return sum;
}

std::vector<Index> largest(const std::vector<Index>& sizes, Index keep) {
  std::vector<Index> order(sizes.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return sizes[a] > sizes[b]; });
  order.resize(std::min(static_cast<Index>(order.size()), keep));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace dcsvm::clustering
