// DC-Pred++: kernel machines that answer in the time of a few dozen inner products.
// Hsieh, Si, Dhillon: Fast Prediction for Large-Scale Kernel Machines (NIPS 2014), Algorithms 1 and 2.
//
// A binary tree of k-means splits in input space finds a row's leaf (one inner product a level). The leaf has m landmarks u_j,
// whose kernel values c_j = K(x, u_j) are computed, and p pseudo landmarks, whose values are made from those:
//   triangle_lower, triangle_upper   Eq. (6): ||x - v_t|| lies between max_j | ||x - u_j|| - ||v_t - u_j|| | and
//                                    min_j ||x - u_j|| + ||v_t - u_j||; the kernel at that bound (rbf kernel)
//   polynomial                       Section 4.2: products c_i c_j of sampled pairs (any kernel)
// The decision is a linear function of these m + p numbers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"
#include "dcsvm/model.hpp"

namespace dcsvm {

namespace dc_pred {
struct DcPredData;  // cpp/src/dc_pred/model_data.hpp
}  // namespace dc_pred

/// Files keep the numbers.
enum class PseudoLandmarks { none = 0, triangle_lower = 1, triangle_upper = 2, polynomial = 3 };
constexpr auto names_of(PseudoLandmarks) { return std::array{"none", "triangle", "triangle_upper", "polynomial"}; }

/// kmeans: centres of the alpha^2-weighted k-means in each leaf (Theorem 3), coefficients by Algorithm 1. support: the support
/// vectors of an exact model of all rows that weigh most in the leaf, with that model's coefficients: for hundreds of landmarks,
/// where support vectors of neighbouring leaves matter. Classifiers of two classes, and compress also of regressions.
/// automatic: with a budget the better of both, where support is possible; else kmeans.
enum class Landmarks { automatic, kmeans, support };
constexpr auto names_of(Landmarks) { return std::array{"auto", "kmeans", "support"}; }

struct DcPredParams {
  KernelParams kernel;  ///< not precomputed
  GammaRule gamma_rule = GammaRule::unspecified;
  double C = 1.0;          ///< classifiers: > 0
  double alpha = 1.0;      ///< regression: the lambda of kernel ridge regression, > 0
  Index n_leaves = 16;     ///< at most; leaves are halved, largest first, while they have rows enough (32 on each side)
  Index n_landmarks = 12;  ///< m of each leaf; fewer in leaves with fewer distinct rows of alpha > 0
  Index n_pseudo = 0;      ///< p of each leaf; fewer where there are fewer rows (triangle) or pairs (polynomial)
  PseudoLandmarks pseudo = PseudoLandmarks::triangle_lower;
  /// support: n_pseudo, pseudo and refine are ignored; a leaf has landmarks until the mean error in it is below tol.
  Landmarks landmarks = Landmarks::automatic;
  Index sample_size = 500;  ///< |I| of Eq. (5); support: rows of a leaf by which support vectors are weighed
  /// rbf: steps of L-BFGS that move the landmarks of each leaf towards lower training loss, from the paper's alpha^2-weighted
  /// k-means (Theorem 3), under the better of gamma, gamma / 4 and gamma / 16. 0: the paper's landmarks, and gamma.
  int refine = 60;
  bool fit_intercept = true;  ///< an offset in each leaf
  double tol = 1e-3;          ///< of the local exact models, and relative gradient of the local fits
  double cache_size = 2000.0; ///< MB: for the rows as float32 and kernel rows of the local models
  std::vector<std::pair<double, double>> class_weight;  ///< as TrainParams
  bool balanced = false;
  std::uint64_t seed = 0;
  int n_threads = 0;
  double max_seconds = 0;  ///< 0: no limit
};

struct DcPredInputs {
  const double* sample_weight = nullptr;  ///< n weights >= 0, or null. Rows of weight 0 do not take part
};

/// What a training row may cost on average: leaves, landmarks and pseudo landmarks of each leaf are then chosen by the error on a
/// fifth of the rows, held out (of at most 30,000), and n_leaves, n_landmarks and n_pseudo are ignored. The chosen numbers are
/// also tried with five times the steps of `refine`. When they do worse on all rows, which `refine` can cause, the model of the
/// other four fifths is returned. Landmarks::automatic: the same held-out rows choose between centres and support vectors; the
/// exact model is trained once for all candidates, and once more on all rows when they choose support vectors. Of these the
/// budget goes to the heaviest, wherever their leaf is. Throws ParameterError when two landmarks cost more.
struct DcPredBudget {
  double cost = 0;               ///< as DcPredModel::cost; 0: no budget
  const Index* order = nullptr;  ///< a permutation of the rows whose first rows are held out; null: drawn by the seed
};

/// What a training did.
struct DcPredReport {
  StopReason stop_reason = StopReason::converged;
  Index n_leaves = 0;
  Index n_constant = 0;     ///< leaves of one class: no landmarks
  Index n_landmarks = 0;    ///< over all leaves
  Index n_pseudo = 0;
  Index n_support = 0;      ///< rows with alpha > 0 in the local exact models
  std::string landmarks;    ///< "kmeans" or "support"; empty in older files
  double violation = 0;     ///< largest of the local exact models
  double depth = 0;         ///< levels that a training row walks, on average
  double cost = 0;          ///< of a training row, on average, in inner products of n_features: see DcPredModel::cost
  std::map<std::string, double> seconds;  ///< "tree", "leaves", "total"
  double gamma = 0;
  std::string isa;
  int n_threads = 0;
};

/// An immutable value, cheap to copy, safe to use from several threads at once.
class DcPredModel {
 public:
  DcPredModel() = default;
  explicit DcPredModel(std::shared_ptr<const dc_pred::DcPredData> data) : data_(std::move(data)) {}

  bool empty() const noexcept { return data_ == nullptr; }
  Index n_features() const;
  const std::vector<double>& classes() const;  ///< ascending; empty: a regression
  const KernelParams& kernel() const;          ///< gamma resolved
  PseudoLandmarks pseudo() const;
  Index n_leaves() const;
  const DcPredReport& report() const;
  /// Inner products of n_features that a decision costs: levels of the tree, landmarks, and the rest of the arithmetic in that
  /// unit; averaged over the training rows. A linear model's is 1.
  double cost() const;
  /// Landmarks of a leaf as float64, m x n_features row-major.
  std::vector<double> landmarks(Index leaf) const;

  const std::shared_ptr<const dc_pred::DcPredData>& data() const { return data_; }

 private:
  std::shared_ptr<const dc_pred::DcPredData> data_;
};

/// Trains a classifier on x (n x n_features) and y (n labels, at least two different ones): Algorithm 2. Local exact models are
/// C-SVMs (one against one for several classes); the local prediction models have a squared hinge loss, one against the rest.
/// Progress phase: "leaves"; cancelled, leaves that had no turn predict their larger class.
/// Throws ParameterError, DataError, CapError, Interrupted, std::bad_alloc.
DcPredModel train_dc_pred(const DataView& x, const double* y, const DcPredParams& params, const DcPredInputs& inputs = {},
                          const Hooks& hooks = {}, const DcPredBudget& budget = {});

/// Kernel ridge regression on y (n targets) in place of C-SVMs: local models solve Eq. (2) exactly (ridge.hpp) for what each
/// leaf's intercept leaves, the local prediction models have the squared loss. Leaves of one target are constant. No class
/// weights.
DcPredModel train_dc_pred_ridge(const DataView& x, const double* y, const DcPredParams& params, const DcPredInputs& inputs = {},
                                const Hooks& hooks = {}, const DcPredBudget& budget = {});

/// A model of this kind that answers as `model` does: trained on the labels that `model` predicts for x, with its kernel and C
/// (those of params are ignored); a regression is trained on the numbers that `model` predicts, with params.alpha. x: rows like
/// those to come, say the training rows. Any model, exact or early, whose kernel is not precomputed and that is not one_class.
/// Throws ParameterError for another model, DataError also when `model` gives all of x one label.
DcPredModel compress(const Model& model, const DataView& x, const DcPredParams& params, const Hooks& hooks = {},
                     const DcPredBudget& budget = {});

/// Columns of decision_function: 1 for two classes and regression, else one for each class.
Index decision_columns(const DcPredModel& model);
/// out: rows x decision_columns, row-major. Two classes: positive for the lower class, LIBSVM's convention; several: positive for
/// the column's class. Throws as dcsvm::decision_function of a Model.
void decision_function(const DcPredModel& model, const DataView& x, double* out, const PredictOptions& options = {});
/// One label per row: the largest decision, ties to the lower class; regression: the decision.
void predict(const DcPredModel& model, const DataView& x, double* out, const PredictOptions& options = {});

/// Decides single rows without allocating. Each thread has its own; the model is shared.
class DcPredRow {
 public:
  /// Throws ParameterError for an empty model.
  explicit DcPredRow(const DcPredModel& model);
  /// x: n_features finite values; out: decision_columns. Nothing is checked: NaN gives NaN.
  void decide(const float* x, float* out) noexcept;
  double predict(const float* x) noexcept;

 private:
  std::shared_ptr<const dc_pred::DcPredData> data_;
  std::vector<float> room_;
};

}  // namespace dcsvm
