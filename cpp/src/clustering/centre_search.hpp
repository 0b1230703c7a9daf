// The nearest of many centres: a point is compared with the centres of the nearest groups of centres, not with all.
#pragma once

#include <cstdint>
#include <vector>

#include "clustering/kernel_centres.hpp"

namespace dcsvm::clustering {

/// Up to kFlatSearch centres every point is compared with all. More centres are grouped, about sqrt(k) groups, by kernel k-means
/// on one sampled point of each; a point is compared with the centres of its kGroupsTried nearest groups. So a search costs
/// O(sqrt(k)) centres per point instead of k, and near the border between groups it may find another near centre than the
/// nearest.
constexpr Index kFlatSearch = 256;
constexpr Index kGroupsTried = 3;

/// Made once for some centres; the same for any number of threads. `rows` and `centres` must outlive it.
template <class T>
class CentreSearch {
 public:
  /// Up to `compare_all` centres are not grouped.
  CentreSearch(const kernel_matrix::RowSource<T>& rows, const KernelCentres& centres, base::Random& random,
               base::Context& context, Index compare_all = kFlatSearch);
  /// The centre of each of points[0..n), which are positions in the row source; null: of all its points.
  std::vector<std::int32_t> nearest(const Index* points, Index n) const;
  std::vector<std::int32_t> nearest(const std::vector<Index>& points) const {
    return nearest(points.data(), static_cast<Index>(points.size()));
  }

 private:
  struct Group {
    KernelCentres centres;
    std::vector<std::int32_t> number;  ///< of each among all centres
  };
  class Chunk;

  void make_groups(base::Random& random);

  const kernel_matrix::RowSource<T>& rows_;
  const KernelCentres& centres_;
  base::Context& context_;
  KernelCentres heads_;  ///< of the groups; none when all centres are compared
  std::vector<Group> groups_;
};

}  // namespace dcsvm::clustering
