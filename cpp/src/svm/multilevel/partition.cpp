#include "svm/multilevel/partition.hpp"

#include "clustering/clustering_kernel.hpp"
#include "clustering/random_clusters.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"

namespace dcsvm::multilevel {

template <class T>
Partitioner<T>::Partitioner(const data::Summary& x, const KernelParams& kernel, const kernel_matrix::RowSource<T>& rows,
                            const Options& options, base::Context& context)
    : x_(x), options_(options), model_rows_(rows), rows_(&rows), kernel_(kernel) {
  if (options.clustering == ClusteringType::kmeans && kernel.type == KernelType::precomputed) {
    throw ParameterError("clustering: kmeans needs feature vectors; use kernel_kmeans with a precomputed kernel");
  }
  kernel_ = clustering::clustering_kernel(x, kernel, rows, context, &local_);
  if (options.clustering != ClusteringType::kernel_kmeans) return;
  if (kernel_.gamma != kernel.gamma) {
    own_rows_ = kernel_matrix::make_kernel_rows<T>(x, kernel_, *context.pool);
    rows_ = own_rows_.get();
  }
}

template <class T>
LevelPartition Partitioner<T>::operator()(const std::vector<Index>& population, const PartitionRequest& request,
                                          base::Context& context) const {
  LevelPartition level;
  level.type = options_.clustering;
  base::Context seeded = context;
  seeded.seed = request.seed;
  if (options_.clustering == ClusteringType::kmeans) {
    clustering::KMeansOptions how;
    how.clusters = request.clusters;
    how.sample_size = options_.sample_size;
    how.balance = options_.balance_clusters;
    level.by_centre = clustering::kmeans(x_, population, how, seeded);
    return level;
  }
  if (options_.clustering == ClusteringType::random) {
    level.by_centre = clustering::random_clusters(rows_->size(), request.clusters, request.seed);
    return level;
  }
  clustering::KernelKMeansOptions how;
  how.clusters = request.clusters;
  how.sample_size = options_.sample_size;
  how.balance = options_.balance_clusters;
  how.strict_bound = request.strict_bound;
  level.kernel = kernel_;
  level.by_kernel = clustering::kernel_kmeans(*rows_, population, how, seeded, request.least_cut ? &model_rows_ : nullptr);
  return level;
}

template class Partitioner<float>;
template class Partitioner<double>;

}  // namespace dcsvm::multilevel
