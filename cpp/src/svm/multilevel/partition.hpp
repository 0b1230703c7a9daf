// The clusters of one level, by kernel k-means, k-means or at random.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/context.hpp"
#include "clustering/kernel_kmeans.hpp"
#include "clustering/kmeans.hpp"
#include "data/summary.hpp"
#include "kernel_matrix/row_source.hpp"
#include "svm/multilevel/options.hpp"

namespace dcsvm::multilevel {

struct LevelPartition {
  ClusteringType type = ClusteringType::kernel_kmeans;
  KernelParams kernel;                    ///< kernel_kmeans: the kernel of the centres (see clustering/clustering_kernel.hpp)
  clustering::KernelPartition by_kernel;  ///< filled for kernel_kmeans: router data too
  clustering::Partition by_centre;        ///< filled for kmeans, and without centres for random

  const std::vector<std::int32_t>& assignment() const {
    return type == ClusteringType::kernel_kmeans ? by_kernel.assignment : by_centre.assignment;
  }
  Index clusters() const { return type == ClusteringType::kernel_kmeans ? by_kernel.clusters : by_centre.clusters; }
};

struct PartitionRequest {
  Index clusters = 1;
  std::uint64_t seed = 0;
  bool strict_bound = false;  ///< with balancing: no cluster above clustering::balance_bound (kernel k-means)
  bool least_cut = false;  ///< kernel k-means: the best of several tries (see clustering::kernel_kmeans)
};

/// Clusters the same data at every level; chooses and keeps the clustering kernel.
template <class T>
class Partitioner {
 public:
  /// rows: kernel matrix of x under `kernel`. Throws ParameterError for plain k-means on a precomputed kernel.
  Partitioner(const data::Summary& x, const KernelParams& kernel, const kernel_matrix::RowSource<T>& rows, const Options& options,
              base::Context& context);

  /// population: points that the sample is drawn from.
  LevelPartition operator()(const std::vector<Index>& population, const PartitionRequest& request, base::Context& context) const;
  /// Whether most pairs of points are nearly orthogonal under the model's kernel.
  bool local() const { return local_; }
  /// Values computed of a kernel other than the model's.
  std::int64_t n_values() const { return own_rows_ ? own_rows_->n_values() : 0; }

 private:
  DataView x_;
  const Options options_;
  const kernel_matrix::RowSource<T>& model_rows_;
  const kernel_matrix::RowSource<T>* rows_;
  std::unique_ptr<kernel_matrix::RowSource<T>> own_rows_;  ///< of the clustering kernel, when it is not the model's
  KernelParams kernel_;
  bool local_ = false;
};

}  // namespace dcsvm::multilevel
