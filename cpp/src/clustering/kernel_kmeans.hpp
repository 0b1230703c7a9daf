// Two-step kernel k-means (Chitta, Jin, Havens and Jain 2011; Hsieh, Si and Dhillon 2014 on DC-SVM): kernel k-means on m sampled
// points gives the centres, then every point joins the nearest one, in O(n m) kernel values.
#pragma once

#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::clustering {

struct KernelKMeansOptions {
  Index clusters = 4;         ///< k >= 1
  Index sample_size = 1000;  ///< m; raised to 4 k (k up to kFlatSearch) when smaller, lowered when its kernel block would take
                             ///< over a quarter of the cap
  int max_iterations = 20;
  bool balance = true;  ///< split clusters above balance_bound and drop the smallest, a few rounds
  /// After balancing, move points of clusters that are still too large to the next nearest cluster with room. The router would
  /// send such points elsewhere: only for warm starts, not for models that predict by routing.
  bool strict_bound = false;
};

/// A partition of n points and the centres behind it, ready for svm::KernelRouter.
struct KernelPartition {
  Index clusters = 0;  ///< non-empty clusters, at most the number asked for
  std::vector<std::int32_t> assignment;  ///< n
  std::vector<Index> sizes;  ///< points per cluster
  std::vector<Index> sample;  ///< the sampled points, grouped by cluster
  std::vector<Index> first;  ///< clusters + 1: cluster c owns sample[first[c]..first[c+1])
  std::vector<double> constant;  ///< per cluster: 1/w_c^2 sum_{i,j in c} K(s_i, s_j)
};

/// Clusters all points of `rows`; the sample is drawn from `population` (positions in rows; adaptive clustering passes the
/// support vectors). Point x joins argmin_c K(x,x) - 2/w_c sum_{j in c} K(x, s_j) + constant_c, ties to the lower cluster. Same
/// seed (context.seed), same result, whatever the threads. Duplicates, constant kernels and k > distinct points give fewer
/// clusters. Throws ParameterError for clusters < 1, Interrupted.
/// cut_in: a kernel matrix of the same points. With it the centres are the best of several tries: those whose clusters have the
/// least sum of |K| between them, estimated on a sample of the population (D(pi) of Hsieh, Si and Dhillon 2014, Theorem 1).
template <class T>
KernelPartition kernel_kmeans(const kernel_matrix::RowSource<T>& rows, const std::vector<Index>& population,
                              const KernelKMeansOptions& options, base::Context& context,
                              const kernel_matrix::RowSource<T>* cut_in = nullptr);

}  // namespace dcsvm::clustering
