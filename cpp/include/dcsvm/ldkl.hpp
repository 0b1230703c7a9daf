// Local deep kernel learning: a tree of products whose cost grows with its depth alone.
// Jose, Goyal, Aggrwal, Varma: Local Deep Kernel Learning for Efficient Non-linear SVM Prediction (ICML 2013).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm {

namespace ldkl {
struct LdklData;  // cpp/src/ldkl/model_data.hpp
}  // namespace ldkl

/// A complete binary tree; z = (x, 1). A row walks from the root to a leaf, from node k to its right child where theta_k'z > 0,
/// and its decision is f(x) = sum of (w_k'z) tanh(sigma v_k'z) over the nodes k on its path.
///
/// The training has two steps. First w, v and theta together descend on
///   lambda_w/2 |W|^2 + lambda_v/2 |V|^2 + lambda_theta/2 |Theta|^2 + mean of max(0, 1 - y f(x)),
/// where the choice of a child is smooth: a node counts for a row with the product of (1 +- tanh(s theta_k'z)) / 2 over the nodes
/// above it, and s grows from 1 to `sharpness`. This problem is not convex, and what is found depends on the seed. Then v and
/// theta stay, every row has one path, and w minimises lambda_w/2 |W|^2 + mean of max(0, 1 - y f(x)), which is convex, to a
/// duality gap of `tol`: this is what "converged" means.
struct LdklParams {
  int depth = 5;  ///< levels below the root
  std::optional<double> budget;  ///< the deepest tree that LdklModel::cost allows; depth is ignored
  double lambda_w = 3e-4;
  double lambda_v = 1e-5;
  double lambda_theta = 1e-5;
  double sigma = 1.0;
  double sharpness = 100.0;  ///< s at the end of the first step
  bool standardise = true;  ///< dense: features of mean 0 and variance 1; CSR: of mean square 1
  int n_passes = 30;  ///< over the data in the first step
  int batch_size = 128;  ///< rows of one step of the descent
  double learning_rate = 0.01;  ///< of Adam, falling to 0 with the passes
  double tol = 0.01;  ///< duality gap of the second step, as a share of its objective
  std::int64_t max_iter = 0;  ///< passes over the data in the second step; 0: 1,000, or 10^7 / n where that is more
  std::vector<std::pair<double, double>> class_weight;  ///< as TrainParams: of the loss
  bool balanced = false;
  double cache_size = 2000.0;  ///< MB (2^20 bytes) of working memory: a copy of X, and the tree's parameters three times
  std::uint64_t seed = 0;
  int n_threads = 0;
  double max_seconds = 0;  ///< 0: no limit
};

struct LdklInputs {
  const double* sample_weight = nullptr;  ///< n weights >= 0, or null. Rows of weight 0 do not take part
};

/// What a training did. Several classes: sums over the problems (a class against the rest), the worst violation.
struct LdklReport {
  StopReason stop_reason = StopReason::converged;
  double objective = 0;  ///< of the second step, of the model's own decisions for X
  double dual_objective = 0;  ///< a lower bound of its minimum over w
  double violation = 0;  ///< the duality gap, of the objective or of what was gained from weights of 0: the less of the two
  double smooth_objective = 0;  ///< of the first step at its end, over all rows
  double gradient_norm = 0;  ///< |gradient|_2 of that: how far from stationary; the descent has no certificate
  std::int64_t n_passes = 0;  ///< of the first step
  std::int64_t n_iter = 0;  ///< passes of the second step
  Index depth = 0;
  double cost = 0;  ///< as LdklModel::cost
  std::map<std::string, double> seconds;  ///< "data", "tree", "weights", "total"
  std::int64_t peak_cache_bytes = 0;
  std::string isa;
  int n_threads = 0;
};

/// An immutable value, cheap to copy, safe to use from several threads at once.
class LdklModel {
 public:
  LdklModel() = default;
  explicit LdklModel(std::shared_ptr<const ldkl::LdklData> data) : data_(std::move(data)) {}

  bool empty() const noexcept { return data_ == nullptr; }
  Index n_features() const;
  const std::vector<double>& classes() const;  ///< ascending
  Index depth() const;
  double sigma() const;
  const LdklReport& report() const;
  /// Inner products of n_features that a decision costs, tanh and sums included; as DcPredModel::cost. A linear model's is 1.
  double cost() const;
  /// Of X as the caller has it, row-major: n_problems x nodes x (n_features + 1), the constant last; nodes = 2^(depth + 1) - 1,
  /// level by level from the root, the children of k are 2 k + 1 and 2 k + 2.
  const std::vector<double>& w() const;
  const std::vector<double>& v() const;
  const std::vector<double>& theta() const;  ///< n_problems x (2^depth - 1) x (n_features + 1)

  const std::shared_ptr<const ldkl::LdklData>& data() const { return data_; }

 private:
  std::shared_ptr<const ldkl::LdklData> data_;
};

/// Trains on x (n x n_features) and y (n labels, at least two different ones); more than two classes: a tree for each against the
/// rest. Progress phases: "tree", "weights"; cancelled, classes that had no turn have decision 0. Throws ParameterError,
/// DataError, CapError, Interrupted, std::bad_alloc.
LdklModel train_ldkl(const DataView& x, const double* y, const LdklParams& params, const LdklInputs& inputs = {},
                     const Hooks& hooks = {});

/// Columns of decision_function: 1 for two classes, else one for each class.
Index decision_columns(const LdklModel& model);
/// out: rows x decision_columns, row-major. Two classes: positive for the lower class, LIBSVM's convention; several: positive for
/// the column's class. Throws as dcsvm::decision_function of a Model.
void decision_function(const LdklModel& model, const DataView& x, double* out, const PredictOptions& options = {});
/// One label per row: the largest decision, ties to the lower class (two classes: to the higher).
void predict(const LdklModel& model, const DataView& x, double* out, const PredictOptions& options = {});

}  // namespace dcsvm
