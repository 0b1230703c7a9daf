// Low-rank linearised SVMs: a kernel machine at a linear machine's cost.
// Lan, Wang, Zhe, Cheng, Wang, Zhang: Scaling Up Kernel SVM on Limited Resources: A Low-Rank Linearization Approach (IEEE TNNLS
// 30(2), 2019): LLSVM (Algorithm 1), LLSVM^2 (Algorithm 2).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcsvm/blocks.hpp"
#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm {

namespace low_rank {
struct LowRankData;  // cpp/src/low_rank/model_data.hpp
}  // namespace low_rank

/// Nystrom: F = K_rz M, M M' = K_zz^+ (Eq. 12). rks: random Fourier features (Rahimi, Recht 2007). fastfood: Le, Sarlos, Smola
/// 2013. The latter two are for the rbf kernel. reduced: F = K_rz, the reduced SVM (Lee, Mangasarian 2001), for any kernel.
/// Files keep the numbers.
enum class LowRankFeatures { nystrom = 0, rks = 1, fastfood = 2, reduced = 3 };
constexpr auto names_of(LowRankFeatures) { return std::array{"nystrom", "rks", "fastfood", "reduced"}; }
constexpr bool is_fourier(LowRankFeatures f) noexcept { return f == LowRankFeatures::rks || f == LowRankFeatures::fastfood; }
/// Centres of k-means on a sample; its k-means++ seeds (rows of the data); rows drawn uniformly; rows of a sample that lower the
/// training loss most, one after another (SpSVM: Keerthi, Chapelle, DeCoste, JMLR 7, 2006).
enum class LandmarkChoice { kmeans, kmeans_seeds, uniform, greedy };
constexpr auto names_of(LandmarkChoice) { return std::array{"kmeans", "kmeans++", "uniform", "greedy"}; }
enum class LowRankLoss { hinge, squared_hinge };
constexpr auto names_of(LowRankLoss) { return std::array{"hinge", "squared_hinge"}; }
/// One problem for each class against the rest, or for each pair of classes. Two classes: one problem either way. Files keep the
/// numbers.
enum class MultiClass { one_vs_rest = 0, one_vs_one = 1 };
constexpr auto names_of(MultiClass) { return std::array{"ovr", "ovo"}; }

struct LowRankParams {
  KernelParams kernel;  ///< precomputed: x holds K(rows, landmarks), see LowRankInputs
  GammaRule gamma_rule = GammaRule::unspecified;
  double C = 1.0;
  LowRankFeatures features = LowRankFeatures::nystrom;
  Index n_landmarks = 500;  ///< k; rks, fastfood: random directions
  /// Not none: as many landmarks as LowRankModel::cost allows, and no more than rows; n_landmarks is ignored.
  std::optional<double> budget;
  LandmarkChoice landmarks = LandmarkChoice::kmeans;
  Index landmark_sample = 0;  ///< rows that k-means and greedy look at; 0: 10 k, within 5,000 and 20,000. At least 4 k are taken
  int landmark_iterations = 3;  ///< of Lloyd
  LowRankLoss loss = LowRankLoss::hinge;
  bool fit_intercept = true;  ///< a regularised bias (Eq. 24: + b^2 / 2), unlike dcsvm::train's
  MultiClass multi_class = MultiClass::one_vs_rest;
  double tol = 0.1;  ///< stop when the largest projected gradient of the dual is below
  std::int64_t max_iter = 1000;  ///< passes of coordinate descent
  double cache_size = 2000.0;  ///< MB for features: what does not fit is trained in blocks
  int n_passes = 3;  ///< over the data, when it is trained in blocks
  std::vector<std::pair<double, double>> class_weight;  ///< as TrainParams
  bool balanced = false;

  bool supervised = false;  ///< LLSVM^2: the spectrum of Eq. (23) from labelled rows
  Index n_labelled = 100;  ///< |L|
  double balance = 1.0;  ///< a of Eq. (17); 1: L = D - yy'
  std::optional<double> lambda;  ///< of Eq. (18); none: the best of 10^-5 .. 10^5 on held-out rows
  std::optional<double> unlabelled;  ///< rows with this label give landmarks only

  std::uint64_t seed = 0;
  int n_threads = 0;
  double max_seconds = 0;  ///< 0: no limit
};

struct LowRankInputs {
  /// n weights >= 0, or null. Rows of weight 0 do not take part, except as landmarks.
  const double* sample_weight = nullptr;
  /// Landmarks of the caller's own (n_landmarks and the choice are ignored), or null.
  const DataView* landmarks = nullptr;
  /// Precomputed kernel: K(landmarks, landmarks), k x k, symmetric.
  const DataView* landmark_kernel = nullptr;
  /// LowRankModel::alpha of another training on the same rows: n_problems x n row-major, each in [0, C_i]. Or null.
  const double* warm_start_alpha = nullptr;
};

/// What a training did. Several problems: sums, the worst violation.
struct LowRankReport {
  StopReason stop_reason = StopReason::converged;
  double objective = 0;  ///< of the dual, minimised: 1/2 |w|^2 + sum D_i a_i^2 / 2 - sum a_i
  double primal_objective = 0;  ///< 1/2 |w|^2 + sum C_i loss_i; NaN when the data was trained in blocks
  double violation = 0;  ///< largest projected gradient of all rows, as double finds it when converged; in blocks that did not:
                         ///< as the last pass met each block, before solving it
  std::int64_t n_iter = 0;  ///< coordinate steps
  std::int64_t n_passes = 0;  ///< over the active rows; in blocks: over the data
  Index n_blocks = 1;
  Index n_landmarks = 0;  ///< that the map uses
  Index n_components = 0;  ///< features
  Index n_support = 0;  ///< rows with alpha > 0 in some problem
  std::int64_t n_kernel_values = 0;
  double negative_share = 0;  ///< sum |negative eigenvalues of K_zz| / sum |eigenvalues|: a kernel that is not PSD
  double lambda = 0;  ///< supervised: as used
  std::map<std::string, double> seconds;  ///< "landmarks", "map", "features", "solve", "total"
  std::int64_t peak_cache_bytes = 0;  ///< features and map
  double C = 0;
  double gamma = 0;  ///< as used
  std::string isa;
  int n_threads = 0;
};

/// An immutable value, cheap to copy, safe to use from several threads at once.
class LowRankModel {
 public:
  LowRankModel() = default;
  explicit LowRankModel(std::shared_ptr<const low_rank::LowRankData> data) : data_(std::move(data)) {}

  bool empty() const noexcept { return data_ == nullptr; }
  Index n_features() const;  ///< columns that prediction wants
  const std::vector<double>& classes() const;  ///< ascending
  const KernelParams& kernel() const;  ///< gamma resolved
  LowRankFeatures features() const;
  MultiClass multi_class() const;
  const LowRankReport& report() const;
  /// Functions that a decision sums: landmarks that the map uses, or random directions.
  Index n_landmarks() const;
  /// Inner products of n_features that a decision costs, kernel functions and sums included; as DcPredModel::cost. A linear
  /// model's is 1; precomputed: of the sums alone.
  double cost() const;
  /// Landmarks as float64, n_landmarks x n_features row-major (rks, fastfood: the directions; precomputed: empty).
  std::vector<double> landmarks() const;
  /// Precomputed kernel and given landmarks: which of the given ones are used, in order.
  const std::vector<Index>& used() const;
  /// n_problems x n_landmarks row-major: decision = sum_j coef_j K(x, z_j) + intercept (Fourier: cos(w_j'x + phase_j) for K).
  const std::vector<double>& coef() const;
  const std::vector<double>& intercept() const;
  /// Dual variables of the training, n_problems x n row-major. Not kept in files: empty after loading.
  const std::vector<double>& alpha() const;
  /// The same model with other coefficients, shaped as coef() and intercept(), and without alpha; DataError for other sizes, NaN
  /// or infinity.
  LowRankModel with_coefficients(std::vector<double> coef, std::vector<double> intercept) const;

  const std::shared_ptr<const low_rank::LowRankData>& data() const { return data_; }

 private:
  std::shared_ptr<const low_rank::LowRankData> data_;
};

/// Trains on x (n x n_features) and y (n labels, at least two different ones beside `unlabelled`). Progress phases: "landmarks",
/// "features", "solve". Throws ParameterError, DataError (among them: fewer distinct rows than landmarks; a kernel other than
/// sigmoid that is not positive semi-definite on the landmarks), CapError, Interrupted, std::bad_alloc.
LowRankModel train_low_rank(const DataView& x, const double* y, const LowRankParams& params, const LowRankInputs& inputs = {},
                            const Hooks& hooks = {});

// Training on data larger than memory (blocks.hpp): features are made block by block. options.memory_mb caps the working memory,
// landmarks and their kernel matrix aside.

/// Streams LIBSVM text into the cache (or takes the one that is there), then trains with params.n_passes over it. Killed and
/// called again with the same parameters, it goes on after the last block that was written or solved. gamma rule "scale" and the
/// landmarks come from samples. The model has no alpha. Throws as train_low_rank; FileError, ParseError; DataError for a cache
/// that is damaged, of another version, or made from another state of the file. The file is never written to.
LowRankModel train_low_rank_file(const std::string& path, const LowRankParams& params, const BlockOptions& options = {},
                                 const Hooks& hooks = {});
/// The same for batches: next() gives them, none: the end; each must stay until the next call. options.cache must name a folder.
LowRankModel train_low_rank_batches(const std::function<std::optional<Batch>()>& next, const LowRankParams& params,
                                    const BlockOptions& options, const Hooks& hooks = {});

/// Models along a path of C, from one stored feature matrix.
struct LowRankPath {
  std::vector<LowRankModel> models;  ///< one for each C, trained on all rows
  std::vector<double> scores;  ///< n_C x folds row-major: accuracy on the rows left out; empty without folds
};
/// params.C is ignored. folds: 0, or 2 and more: fold_of[i] in [0, folds) leaves row i out of that fold's trainings. Landmarks
/// come from all rows, unless they or the map look at labels (greedy, supervised): then each fold makes its own from the others.
/// All features must fit cache_size (CapError).
LowRankPath low_rank_path(const DataView& x, const double* y, const LowRankParams& params, const std::vector<double>& C,
                          int folds = 0, const int* fold_of = nullptr, const LowRankInputs& inputs = {}, const Hooks& hooks = {});

/// Columns of decision_function: 1 for two classes, else one for each class, or for each pair with one_vs_one.
Index decision_columns(const LowRankModel& model);
/// out: rows x decision_columns, row-major. Two classes and pairs (i, j): positive for the lower class, LIBSVM's convention;
/// against the rest: positive for the column's class. Throws as dcsvm::decision_function of a Model.
void decision_function(const LowRankModel& model, const DataView& x, double* out, const PredictOptions& options = {});
/// One label per row: the largest decision, or most votes; ties to the lower class.
void predict(const LowRankModel& model, const DataView& x, double* out, const PredictOptions& options = {});

}  // namespace dcsvm
