// The constant of each decision.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// What is subtracted from the pairs' sums over support vectors of the whole model, for each query.
/// One expansion: its rho. A clustered model's cluster c is trained under the kernel of Eq. (3), which is 0 between clusters, so
/// its rho^c holds for its own points: a query gets that of the nearest cluster. A pair of which that cluster has one class only
/// was solved by the constant +1 or -1 for it, with neither by 0. Trained without bias: 0.
class Bias {
 public:
  /// Routes all rows of x when the model is clustered and has a bias.
  Bias(const ModelData& model, const DataView& x, base::ThreadPool& pool);
  /// Subtracts the bias of row r from decisions[pair], for all pairs.
  void subtract(Index r, double* decisions) const;

 private:
  const ModelData& model_;
  std::vector<int> cluster_of_;  ///< of each row; empty: a model that is not clustered, or has no bias
};

/// Which of k classes a cluster has.
class Presence {
 public:
  Presence(const std::vector<int>& classes, Index k) : present_(static_cast<std::size_t>(k), 0) {
    for (const int c : classes) present_[static_cast<std::size_t>(c)] = 1;
  }
  bool both(Index i, Index j) const { return present_[i] + present_[j] == 2; }
  /// +1 for i alone, -1 for j alone, 0 for both and for neither.
  double sign(Index i, Index j) const { return present_[i] - present_[j]; }

 private:
  std::vector<int> present_;
};

}  // namespace dcsvm::svm
