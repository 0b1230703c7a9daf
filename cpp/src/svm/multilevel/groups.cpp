#include "svm/multilevel/groups.hpp"

namespace dcsvm::multilevel {

Groups::Groups(const svm::TrainingProblem& problem, const std::vector<std::int32_t>& cluster_of, Index clusters)
    : classes_(problem.n_classes()), first_(static_cast<std::size_t>(clusters * classes_ + 1), 0) {
  const auto group = [&](Index i) { return cluster_of[i] * classes_ + problem.class_of[i]; };
  for (Index i = 0; i < problem.n; ++i) {
    if (problem.class_of[i] >= 0) ++first_[group(i) + 1];
  }
  for (std::size_t g = 1; g < first_.size(); ++g) first_[g] += first_[g - 1];
  points_.resize(first_.back());
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  for (Index p = 0; p < problem.n; ++p) {
    const Index i = problem.order.empty() ? p : problem.order[p];
    if (problem.class_of[i] >= 0) points_[next[group(i)]++] = i;
  }
}

}  // namespace dcsvm::multilevel
