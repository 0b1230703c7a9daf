// leaves whose landmarks are support vectors of a trained model, with the model's own coefficients.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "dc_pred/leaf_training.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::dc_pred {

/// Throw ParameterError: for more classes; for a model that is not one sum over support vectors: of more classes, or clustered.
void need_two_classes(std::size_t n_classes);
void check_expansion(const svm::ModelData& model);
/// Whether check_expansion would not throw.
bool can_expand(const svm::ModelData& model);

/// Support vectors of one leaf.
struct SupportRanking {
  std::vector<Index> order;          ///< of the model, the heaviest first
  std::vector<double> size, value;  ///< of each of them: mean of |coef_j K|, of coef_j K
  double total = 0;                  ///< the sum of coef_j K of all support vectors, of these and others
  bool made = false;                 ///< false: the leaf needs none, or had no turn

  Index count() const { return static_cast<Index>(order.size()); }
};

/// How many of each ranking cost at most `budget` together. share: of the rows, for each leaf; depth: levels above it; cost(m):
/// of m landmarks in a leaf. One least weight holds for all leaves: a landmark lowers the mean error of all rows by no more than
/// the leaf's share times its weight, and adds that share of its cost, so the heaviest give most for what they cost.
std::vector<Index> share_out(const std::vector<SupportRanking>& rankings, const std::vector<double>& share,
                             const std::vector<int>& depth, double budget, const std::function<double(Index)>& cost);

/// A decision sum_j coef_j K(x, x_j) + bias over support vectors as float, moved as the rows of a problem are.
class SupportExpansion {
 public:
  /// model: check_expansion holds. Throws CapError when they and the problem's rows do not fit cap_bytes.
  SupportExpansion(const svm::ModelData& model, const DcPredProblem& problem, std::size_t cap_bytes, base::ThreadPool& pool);

  Index size() const { return static_cast<Index>(coef_.size()); }

  /// The landmarks of the leaf of `members` (rows of the problem), the heaviest first: up to params.n_landmarks, and no more than
  /// it takes until the weights of all others add up to params.tol, which bounds the mean error. The weight of support vector j
  /// is the mean of |coef_j K(x, x_j)| over members, or over params.sample_size of them.
  SupportRanking rank(const DcPredProblem& problem, const DcPredParams& params, const std::vector<Index>& members,
                      base::Context& context) const;
  /// The leaf of the first m of them. The mean decision of all others goes to the intercept.
  DcPredLeaf leaf(const DcPredProblem& problem, const SupportRanking& ranking, Index m) const;

 private:
  struct Weights {
    std::vector<double> size, value;  // of each support vector: mean of |coef_j K|, of coef_j K
  };
  Weights weigh(const DcPredProblem& problem, const std::vector<Index>& members) const;

  KernelParams kernel_;
  base::Buffer<float> values_;
  data::DenseRows rows_;  // without norms
  std::vector<double> coef_;
  double bias_ = 0;
  std::unique_ptr<kernel_matrix::CrossKernel<float>> cross_;
};

}  // namespace dcsvm::dc_pred
