#include "svm/early_model.hpp"

#include <utility>
#include <variant>

namespace dcsvm::svm {

namespace {

// A precomputed kernel has no points: the router keeps their training rows.
data::PointStore router_sample(const TrainingProblem& problem, const std::vector<Index>& sample) {
  if (problem.kernel.type != KernelType::precomputed) return data::copy_points(*problem.x, sample);
  data::PointStore store;
  store.rows = static_cast<Index>(sample.size());
  store.cols = 1;
  store.values64.assign(sample.begin(), sample.end());
  return store;
}

}  // namespace

ModelData early_model(const TrainingProblem& problem, const OneVsOneSolution& solution, const multilevel::Result& levels) {
  const auto& partition = levels.partition;
  std::vector<int> cluster_of(problem.class_of.size());
  for (std::size_t i = 0; i < cluster_of.size(); ++i) {
    cluster_of[i] = problem.class_of[i] < 0 ? -1 : static_cast<int>(partition.assignment()[i]);
  }
  std::vector<std::vector<int>> classes;
  std::vector<std::vector<double>> rho;
  for (const auto& c : levels.clusters) {
    classes.push_back(c.classes);
    rho.push_back(c.rho);
  }
  std::variant<std::monostate, KernelRouter, CentreRouter> router;
  if (partition.type == ClusteringType::kmeans) {
    router = CentreRouter{partition.clusters(), partition.by_centre.cols, partition.by_centre.dense_centres()};
  } else {
    KernelRouter kernel_router;
    kernel_router.sample = router_sample(problem, partition.by_kernel.sample);
    kernel_router.first = partition.by_kernel.first;
    kernel_router.constant = partition.by_kernel.constant;
    kernel_router.kernel = partition.kernel;
    router = std::move(kernel_router);
  }
  return build_clustered(solution, {cluster_of, classes, rho, std::move(router)});
}

}  // namespace dcsvm::svm
