// The points of a level, by cluster and class.
#pragma once

#include <cstdint>
#include <vector>

#include "svm/problems/training_problem.hpp"

namespace dcsvm::multilevel {

/// The points that take part, grouped by cluster, then class, in TrainingProblem::order within.
class Groups {
 public:
  Groups(const svm::TrainingProblem& problem, const std::vector<std::int32_t>& cluster_of, Index clusters);

  Index size(Index cluster, Index cls) const { return end(cluster, cls) - begin(cluster, cls); }
  Index cluster_size(Index cluster) const { return first_[(cluster + 1) * classes_] - first_[cluster * classes_]; }
  std::vector<Index> points(Index cluster, Index cls) const {
    return {points_.begin() + begin(cluster, cls), points_.begin() + end(cluster, cls)};
  }

 private:
  Index begin(Index cluster, Index cls) const { return first_[cluster * classes_ + cls]; }
  Index end(Index cluster, Index cls) const { return first_[cluster * classes_ + cls + 1]; }

  Index classes_;
  std::vector<Index> first_, points_;
};

}  // namespace dcsvm::multilevel
