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
  /// n_pairs values to subtract for row r.
  const double* of(Index r) const { return rho_.data() + (cluster_of_.empty() ? 0 : cluster_of_[r] * n_pairs_); }

 private:
  Index n_pairs_;
  std::vector<int> cluster_of_;  ///< empty: the first row of rho_ for all
  std::vector<double> rho_;      ///< clusters x n_pairs
};

/// For each pair (i, j) of k classes: 0 when `classes` (ascending) has both, +1 for i alone, -1 for j alone, 0 for neither;
/// `both` marks the first case.
struct Presence {
  Presence(const std::vector<int>& classes, Index k);
  std::vector<double> sign;
  std::vector<char> both;
};

}  // namespace dcsvm::svm
