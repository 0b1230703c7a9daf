// A trained model: an immutable value, cheap to copy, safe to use from several threads at once.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/params.hpp"

namespace dcsvm {

namespace svm {
struct ModelData;  // cpp/src/svm/model/model_data.hpp
}  // namespace svm

/// One level of a DC-SVM training; one round of solver "rand" (Algorithm 1 of Krishnan et al. 2007) or pass of "cascade": `level`
/// is its number, pair after pair, `sizes` are the points of its (last) problem, objective and violation are of the pair's whole
/// problem.
struct LevelReport {
  int level = 0;  ///< l; 0 is the refine step
  Index clusters = 0;  ///< non-empty clusters
  std::vector<Index> sizes;  ///< points in each
  double seconds = 0;
  double seconds_clustering = 0;
  Index n_support = 0;  ///< points with alpha > 0
  double objective = 0;  ///< sum of the sub-problems' dual objectives
  double violation = 0;  ///< largest KKT violation within a cluster
  Index n_iter = 0;

  // Of divide and conquer with TrainParams::keep_levels, else empty. Model files do not hold them.
  std::vector<Index> support;  ///< rows with a coefficient other than 0 after this level, ascending
  std::vector<double> sv_coef;  ///< theirs, n_pairs' rows as in Model::sv_coef: (max(n_classes, 2) - 1) x support.size()
  std::vector<std::int32_t> cluster_of;  ///< n_samples; -1: does not take part. Empty for the refine step
};

/// One binary problem of a training that solved the whole (a pair of classes; one-class and regression have one problem).
struct ProblemReport {
  double objective = 0;  ///< LIBSVM's "obj"
  double violation = 0;
  double tol = 0;  ///< as Report::tol
  StopReason stop_reason = StopReason::converged;
  std::int64_t n_iter = 0;
  Index n_support = 0;  ///< rows with a coefficient other than 0
  Index n_bounded = 0;  ///< those at their upper bound
  double r = 0;  ///< nu_svc: the margin that coefficients are divided by (LIBSVM prints C = 1 / r); nu_svr: -epsilon of its tube
};

/// Something about the data or the solution that makes a model worse than it could be.
struct Warning {
  std::string kind;  ///< "scale": ranges of features differ; "offset": features far from 0; "margin": nu_svc without a margin;
                     ///< "tolerance": tol is not small beside the solution
  std::string text;  ///< what was found and what to do
};

/// What a training did; docs/reference/train.md says in which precision its solution is judged. For several classes: sums over
/// pairs, the worst violation.
struct Report {
  double objective = 0;  ///< as LIBSVM prints it (clustered models: with the kernel of Eq. (3))
  double violation = 0;  ///< maximal KKT violation on the true gradient of the full problem; support_limit: infinity, not known
  /// Duality gap: how far the objective is from the optimum at most, whose w is within sqrt(2 gap) of the model's. Infinity: not
  /// known (clustered models, support_limit, kernel ridge regression, files of older versions).
  double gap = std::numeric_limits<double>::infinity();
  double tol = 0;  ///< of the violation, as used: TrainParams::tol, or less where a problem is small in its unit (the smallest)
  StopReason stop_reason = StopReason::converged;
  std::int64_t n_iter = 0;  ///< SMO steps
  std::int64_t n_kernel_values = 0;
  Index n_support = 0;
  std::map<std::string, double> seconds;  ///< by phase, and "total"
  std::int64_t peak_cache_bytes = 0;
  std::vector<LevelReport> levels;  ///< empty for SMO
  std::vector<ProblemReport> problems;  ///< in the order of Model::rho; empty for clustered models
  std::string solver;  ///< "smo", "dc", "rand" or "cascade"
  std::string solver_reason;  ///< why
  std::string precision;  ///< "single" or "double" kernel values as used
  double gamma = 0;  ///< as used
  std::string isa;
  int n_threads = 0;
  std::vector<Warning> warnings;  ///< at most one of each kind
};

/// What turns decision values into probabilities, in LIBSVM's numbers. Empty: trained without TrainParams::probability.
struct Calibration {
  /// For each pair (i, j), i < j: P(class i | decision value f) = 1 / (1 + exp(a f + b)), LIBSVM's probA and probB when its
  /// labels are in the same order (a pair the other way round has the same a and -b). Regression: a holds one value, the scale
  /// sigma of the Laplace density of y - prediction; b is empty.
  std::vector<double> a, b;
  std::vector<double> density_marks;  ///< one_class: LIBSVM's prob_density_marks, 10 ascending decision values

  bool empty() const noexcept { return a.empty() && density_marks.empty(); }
};

class Model {
 public:
  Model() = default;
  explicit Model(std::shared_ptr<const svm::ModelData> data) : data_(std::move(data)) {}

  bool empty() const noexcept { return data_ == nullptr; }
  Index n_features() const;
  Index n_train() const;  ///< rows of the training data
  Formulation formulation() const;
  double nu() const;  ///< of the training, where the formulation has it and the file is not LIBSVM's, which lacks it; else 0.5
  double epsilon() const;  ///< likewise; else 0.1
  const std::vector<double>& classes() const;  ///< ascending; empty for one-class and regression
  bool clustered() const;  ///< trained with early_level
  const KernelParams& kernel() const;  ///< gamma resolved
  const Report& report() const;  ///< of the training; kept in files
  const Calibration& calibration() const;  ///< of predict_proba
  LevelPrediction prediction() const;
  Precision precision() const;  ///< of the kernel values of predictions: the training's, if it is not changed
  /// The same model with another way to predict (whose decision values have no calibration); DataError unless clustered().
  Model with_prediction(LevelPrediction how) const;
  /// The same model with kernel values of that precision. Files keep it.
  Model with_precision(Precision precision) const;

  // One-class and regression: one problem, and everything that counts classes is shaped as for two (LIBSVM's nr_class): sv_coef
  // has one row (one_class: a_i; regression: a_i - a*_i), rho one entry, n_support_per_class one.

  /// Indices of the support vectors in the training data, grouped by class (clustered: by cluster, then class).
  const std::vector<Index>& support() const;
  std::vector<Index> n_support_per_class() const;
  /// LIBSVM's sv_coef: (n_classes - 1) x n_support, row-major, values y_i alpha_i (positive for the first class of a pair);
  /// nu_svc: y_i alpha_i / r.
  const std::vector<double>& sv_coef() const;
  /// Decision is sum coef K - rho, one per pair (0,1), (0,2), ..., (k-2,k-1), positive for the pair's first class.
  /// Clustered models: n_clusters x n_pairs row-major, 0 where a cluster lacks one of the pair's classes.
  std::vector<double> rho() const;
  /// alpha of the training, n_pairs x n_train row-major, 0 outside a pair (nu_svc: divided by r, so that all of a pair are <= 0
  /// where r < 0; regression: alpha - alpha*, n_train values of either sign): what warm_start_alpha takes.
  std::vector<double> alpha() const;
  /// Writes alpha into n_pairs x n_train zeros and touches only the entries that are not 0: of memory that the system fills with
  /// zeros (calloc), the rest takes none.
  void add_alpha(double* zeros) const;
  /// Support vectors as float64, n_support x n_features, row-major.
  std::vector<double> support_vectors() const;
  /// Support vectors as they are stored (the training data's storage and precision), valid while a copy of the model lives. No
  /// rows for a precomputed kernel.
  DataView support_view() const;

  /// The same model with other coefficients, shaped as sv_coef() and rho() return them; DataError for other sizes, NaN or
  /// infinity.
  Model with_coefficients(std::vector<double> sv_coef, const std::vector<double>& rho) const;

  const std::shared_ptr<const svm::ModelData>& data() const { return data_; }

 private:
  std::shared_ptr<const svm::ModelData> data_;
};

}  // namespace dcsvm
