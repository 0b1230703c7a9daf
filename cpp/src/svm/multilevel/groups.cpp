#include "svm/multilevel/groups.hpp"

namespace dcsvm::multilevel {

Groups::Groups(const Input& input, const std::vector<std::int32_t>& cluster_of, Index clusters)
    : classes_(input.n_classes), first_(static_cast<std::size_t>(clusters * classes_ + 1), 0) {
  const auto group = [&](std::size_t i) { return static_cast<std::size_t>(cluster_of[i] * classes_ + (*input.class_of)[i]); };
  for (std::size_t i = 0; i < cluster_of.size(); ++i) {
    if (takes_part(input, static_cast<Index>(i))) ++first_[group(i) + 1];
  }
  for (std::size_t g = 1; g < first_.size(); ++g) first_[g] += first_[g - 1];
  points_.resize(first_.back());
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  for (std::size_t p = 0; p < cluster_of.size(); ++p) {
    const auto i = static_cast<std::size_t>(point_at(input, static_cast<Index>(p)));
    if (takes_part(input, static_cast<Index>(i))) points_[next[group(i)]++] = static_cast<Index>(i);
  }
}

}  // namespace dcsvm::multilevel
