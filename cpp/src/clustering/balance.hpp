// Keeps clusters of similar size: oversize centres are split, the smallest dropped.
#pragma once

#include <cstdint>
#include <vector>

#include "clustering/kernel_centres.hpp"

namespace dcsvm::clustering {

struct BalanceTask {
  const std::vector<Index>* population = nullptr;  ///< where split clusters draw their new samples from
  const std::vector<Index>* probe = nullptr;       ///< points that tell the clusters' sizes; may be `population`
  Index clusters = 1;                              ///< k
  Index sample_size = 1000;                        ///< m, of the whole population
  Index most_points = 1000;                        ///< whose kernel block may be held
  int max_iterations = 20;
};

/// Few centres to task.clusters: each is replaced by centres found among its members, as many as its share of the probe asks for.
template <class T>
void grow(const kernel_matrix::RowSource<T>& rows, const BalanceTask& task, base::Random& random, base::Context& context,
          KernelCentres& centres);

/// A few rounds of: every cluster above balance_bound (of the probe) is replaced by centres found among its own members, then the
/// smallest clusters lose their centres until k remain. Keeps the best round (smallest sum of squared sizes) in `centres`. A very
/// local kernel gives one giant cluster of points far from every sample; new samples from inside it find centres for its parts.
template <class T>
void balance(const kernel_matrix::RowSource<T>& rows, const BalanceTask& task, base::Random& random, base::Context& context,
             KernelCentres& centres);

/// Moves points out of clusters larger than `bound`, those first that lose least, each to its nearest centre with room. bound *
/// size() must be at least n.
template <class T>
void enforce_bound(const kernel_matrix::RowSource<T>& rows, const KernelCentres& centres, Index bound, base::Context& context,
                   std::vector<std::int32_t>& assignment);

}  // namespace dcsvm::clustering
