// Plain k-means in input space: the cheap alternative to kernel k-means.
#pragma once

#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::clustering {

struct KMeansOptions {
  Index clusters = 4;         ///< k >= 1
  Index sample_size = 1000;   ///< m; raised to 32 k when smaller
  int max_iterations = 20;
  bool balance = true;        ///< split clusters above balance_bound and drop the smallest, a few rounds
};

/// A partition of n points and its centres, ready for svm::CentreRouter.
struct Partition {
  Index clusters = 0;                    ///< non-empty clusters, at most the number asked for
  Index cols = 0;                        ///< of x
  std::vector<std::int32_t> assignment;  ///< n
  std::vector<Index> sizes;              ///< points per cluster
  std::vector<double> centres;           ///< clusters x cols, or x columns.size()
  std::vector<std::int32_t> columns;     ///< wide sparse data: the columns of x that occur; empty: all

  /// clusters x cols. Throws ParameterError when that is more than a model should hold.
  std::vector<double> dense_centres() const;
};

/// Clusters all rows of x: k-means++ and Lloyd's iteration on a sample of `population` (rows of x; empty: all), then every row
/// joins the nearest centre, ties to the lower cluster. Distances are formed in float around the sample's mean (dense data).
/// Same seed (context.seed), same result, whatever the threads. Duplicates and k > distinct points give fewer clusters.
/// Throws ParameterError for clusters < 1, Interrupted.
Partition kmeans(const DataView& x, const std::vector<Index>& population, const KMeansOptions& options, base::Context& context);

}  // namespace dcsvm::clustering
