// Linear SVMs, logistic regression and linear regression: the problems of LIBLINEAR, and the multinomial model.
// Fan, Chang, Hsieh, Wang, Lin: LIBLINEAR: A library for large linear classification (JMLR 9, 2008), and the papers that the
// sources of the solvers name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcsvm/blocks.hpp"
#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/parameter_range.hpp"

namespace dcsvm {

namespace linear {
struct LinearData;  // cpp/src/linear/model_data.hpp
}  // namespace linear

/// What is minimised over w, with z_i = w'x_i, y_i in {-1, +1} (classifiers) and weights C_i; and how:
///   logistic            1/2 |w|^2 + sum C_i log(1 + exp(-y_i z_i)), from the primal side
///   squared_hinge_dual  1/2 |w|^2 + sum C_i max(0, 1 - y_i z_i)^2, to a tolerance of the dual problem
///   squared_hinge       the same from the primal side
///   hinge_dual          1/2 |w|^2 + sum C_i max(0, 1 - y_i z_i)
///   crammer_singer      1/2 sum_m |w_m|^2 + sum C_i max_m (w_m'x_i - w_(y_i)'x_i + [m != y_i]) (Crammer, Singer 2001)
///   l1_squared_hinge    |w|_1 + sum C_i max(0, 1 - y_i z_i)^2
///   l1_logistic         |w|_1 + sum C_i log(1 + exp(-y_i z_i))
///   logistic_dual       the problem of logistic, to a tolerance of the dual problem
///   svr_squared         1/2 |w|^2 + sum C_i max(0, |y_i - z_i| - epsilon)^2, from the primal side
///   svr_squared_dual    the same, to a tolerance of the dual problem
///   svr_dual            1/2 |w|^2 + sum C_i max(0, |y_i - z_i| - epsilon)
///   one_class           1/2 |w|^2 + 1 / (nu n) sum max(0, rho - z_i) - rho, all of it times nu n (Schoelkopf et al. 2001; Chou,
///                       Lin, Lin 2020); without weights
///   multinomial         1/2 sum_m |w_m|^2 + sum C_i (log sum_m exp(w_m'x_i) - w_(y_i)'x_i), the softmax model of all classes;
///                       of two classes: the problem of logistic
/// "From the primal side": the tolerance is relative to the gradient of the objective at w = 0. "A tolerance of the dual
/// problem": it limits the violation of the dual problem's optimality conditions, or, where X has few columns, the duality gap
/// (docs/methods/linear.md says which method solves which problem).
/// Files keep the numbers, which are not LIBLINEAR's: a new solver comes last.
enum class LinearSolver {
  logistic = 0,
  squared_hinge_dual = 1,
  squared_hinge = 2,
  hinge_dual = 3,
  crammer_singer = 4,
  l1_squared_hinge = 5,
  l1_logistic = 6,
  logistic_dual = 7,
  svr_squared = 8,
  svr_squared_dual = 9,
  svr_dual = 10,
  one_class = 11,
  multinomial = 12,
};
/// What a solver has. No default: the compiler names one that is missing.
struct LinearSolverTraits {
  const char* name = nullptr;
  int liblinear = 0;  ///< its number, LIBLINEAR's option -s; -1: LIBLINEAR does not have it
  double tol = 0;  ///< LIBLINEAR's default of its option -e, or our own
  bool classes = false, numbers = false;  ///< what it predicts; one_class: neither
  bool primal = false;                    ///< "from the primal side", see above
  bool l1 = false;                        ///< |w|_1
  bool probabilities = false;
  bool softmax = false;  ///< those of more than two classes: exp(z_m) / sum of exp(z); else each class has its own sigmoid
};
constexpr LinearSolverTraits traits_of(LinearSolver s) noexcept {
  LinearSolverTraits has;
  switch (s) {
    case LinearSolver::logistic: has = {"logistic", 0, 0.01, true, false, true, false, true}; break;
    case LinearSolver::squared_hinge_dual: has = {"squared_hinge_dual", 1, 0.1, true}; break;
    case LinearSolver::squared_hinge: has = {"squared_hinge", 2, 0.01, true, false, true}; break;
    case LinearSolver::hinge_dual: has = {"hinge_dual", 3, 0.1, true}; break;
    case LinearSolver::crammer_singer: has = {"crammer_singer", 4, 0.1, true}; break;
    case LinearSolver::l1_squared_hinge: has = {"l1_squared_hinge", 5, 0.01, true, false, true, true}; break;
    case LinearSolver::l1_logistic: has = {"l1_logistic", 6, 0.01, true, false, true, true, true}; break;
    case LinearSolver::logistic_dual: has = {"logistic_dual", 7, 0.1, true, false, false, false, true}; break;
    case LinearSolver::svr_squared: has = {"svr_squared", 11, 0.0001, false, true, true}; break;
    case LinearSolver::svr_squared_dual: has = {"svr_squared_dual", 12, 0.1, false, true}; break;
    case LinearSolver::svr_dual: has = {"svr_dual", 13, 0.1, false, true}; break;
    case LinearSolver::one_class: has = {"one_class", 21, 0.01}; break;
    case LinearSolver::multinomial: has = {"multinomial", -1, 1e-4, true, false, true, false, true, true}; break;
  }
  return has;
}
constexpr auto names_of(LinearSolver) { return names_by_traits<LinearSolver>(); }
constexpr bool is_regression(LinearSolver s) noexcept { return traits_of(s).numbers; }
constexpr bool is_classifier(LinearSolver s) noexcept { return traits_of(s).classes; }
constexpr bool has_probabilities(LinearSolver s) noexcept { return traits_of(s).probabilities; }
/// LIBLINEAR's number of a solver, its option -s: 0 to 7, 11, 12, 13, 21; -1: LIBLINEAR does not have it.
int liblinear_number(LinearSolver solver) noexcept;
/// The solver of a number. Throws ParameterError for a number that LIBLINEAR does not have.
LinearSolver linear_solver(int liblinear_number);
/// LIBLINEAR's default of its option -e: 0.01 for 0, 2, 5, 6, 21; 0.0001 for 11; 0.1 for the others. multinomial: 0.0001.
double default_tol(LinearSolver solver) noexcept;

struct LinearParams {
  LinearSolver solver = LinearSolver::squared_hinge_dual;
  /// C_i = C sample_weight_i class_weight(y_i). Infinity: no penalty, C_i = sample_weight_i class_weight(y_i), and the tolerance
  /// is relative to the gradient at w = 0. For logistic, squared_hinge, svr_squared and multinomial.
  double C = 1.0;
  /// Share of |w|_1 in the penalty l1_ratio |w|_1 + (1 - l1_ratio) / 2 |w|^2, in [0, 1]. For logistic, squared_hinge, svr_squared
  /// and multinomial, whose tolerance it makes that of l1_logistic where it is above 0; multinomial keeps its own.
  double l1_ratio = 0.0;
  double tol = 0.0;       ///< LIBLINEAR's eps, with its meaning for each solver; 0: default_tol(solver)
  double epsilon = 0.1;   ///< regression: half width of the tube without loss
  double nu = 0.5;        ///< one_class: in (0, 1]
  double bias = 1.0;      ///< value of an additional feature of every row, whose weight gives the intercept; < 0: none
  /// false: the weight of the bias is not in the norm. For logistic, squared_hinge, l1_squared_hinge, l1_logistic, svr_squared
  /// and multinomial, with bias = 1.
  bool regularize_bias = true;
  std::int64_t max_iter = 0;  ///< Newton steps or passes over the data for one problem; 0: enough for every usual case
  /// (label, factor); labels not named have factor 1. The factor of a class holds where the class is the positive one; against
  /// the rest, the rest has factor 1 (LIBLINEAR's rule). crammer_singer, multinomial: it holds for the rows of the class.
  std::vector<std::pair<double, double>> class_weight;
  bool balanced = false;      ///< class_weight "balanced": n / (k n_c)
  double cache_size = 2000.0; ///< MB (2^20 bytes) of working memory: a copy of X in the solver's layout, where one is needed
  std::uint64_t seed = 0;     ///< of the order of rows or columns in coordinate descent, and of samples of the rows
  int n_threads = 0;
  double max_seconds = 0;  ///< 0: no limit
};

/// MB that vectors over the columns and tables over the classes take at most: what callers whose users have no cap add to the
/// default of LinearParams::cache_size. features: of X, without the bias; stored: its values; classes: 0 of a regression.
double linear_tables_mb(const LinearParams& params, Index rows, Index features, Index stored, Index classes);

struct LinearInputs {
  /// n weights >= 0 (one_class: 0 or 1), or null. Rows of weight 0 do not take part.
  const double* sample_weight = nullptr;
  /// Start, in the layout of LinearModel::w, or null: zero. For logistic, squared_hinge, svr_squared, multinomial and the
  /// solvers with |w|_1.
  const double* initial_w = nullptr;
  /// Classifiers: the classes in the order that the model should have. Empty: ascending. Every label of y must be among them; a
  /// single class is allowed here (all rows are positive), and y without rows too.
  std::vector<double> classes;
};

/// One problem of a training: a class against the rest; the only one for two classes, crammer_singer, multinomial, regression and
/// one_class.
struct LinearProblemReport {
  double primal_objective = 0;  ///< of w, as in LinearSolver
  double dual_objective = 0;    ///< a lower bound of the minimum, from feasible dual variables; NaN: none is known
  double violation = 0;         ///< what the method compares with its own tolerance, which follows from tol, at the end
  double limit = 0;             ///< that tolerance: a solve that converged has no larger violation; 0: none was reached
  double gradient_norm = 0;     ///< |gradient|_2 of the primal objective; NaN where it is not smooth
  double initial_objective = 0;      ///< Newton's method: the primal objective at the start,
  double initial_gradient_norm = 0;  ///< and |gradient|_2 there; others: 0
  StopReason stop_reason = StopReason::converged;
  std::int64_t n_iter = 0;      ///< Newton steps, or passes over the rows or columns
  std::int64_t n_inner = 0;     ///< steps of conjugate gradients, or passes inside of Newton steps
  Index n_support = 0;          ///< rows whose dual variable is not 0
  Index n_nonzero = 0;          ///< weights that are not 0
};

/// What a training did. Several problems: sums, the worst violation and gradient. Objectives and gradients are computed in double
/// from X, w and the dual variables; the violation of dual_descent may be that of its last pass.
struct LinearReport {
  StopReason stop_reason = StopReason::converged;
  /// What it met, of the problem that decides: "class 3: 1000 Newton steps, violation 2e-03, above 1e-03".
  std::string stop_detail;
  double primal_objective = 0;
  double dual_objective = 0;
  double violation = 0;
  double gradient_norm = 0;
  std::int64_t n_iter = 0;
  std::int64_t n_inner = 0;
  Index n_support = 0;
  Index n_nonzero = 0;
  std::vector<LinearProblemReport> problems;
  std::map<std::string, double> seconds;  ///< "data", "solve", "total"
  std::int64_t peak_cache_bytes = 0;      ///< the copy of X
  /// "newton", "augmented_lagrangian", "dual_descent", "l1_newton", "sequential_dual" or "greedy_pairs". A dual descent that
  /// needs too many passes is finished by one of the first two, and is still called "dual_descent".
  std::string method;
  double tol = 0;       ///< as used
  std::string isa;
  int n_threads = 0;
};

/// An immutable value, cheap to copy, safe to use from several threads at once.
class LinearModel {
 public:
  LinearModel() = default;
  explicit LinearModel(std::shared_ptr<const linear::LinearData> data) : data_(std::move(data)) {}

  bool empty() const noexcept { return data_ == nullptr; }
  LinearSolver solver() const;
  Index n_features() const;                    ///< without the bias
  const std::vector<double>& classes() const;  ///< in the order of the weights; empty for regression and one_class
  /// Of each class in the order of LIBLINEAR's model, by whose rule ties are decided then; empty: no such order (see predict).
  const std::vector<int>& places() const;
  /// Weight vectors: 1 for two classes (positive for classes()[0]) except with crammer_singer, for regression and one_class; else
  /// one for each class.
  Index n_vectors() const;
  /// Feature-major, as in LIBLINEAR: w[j * n_vectors + k] for feature j of vector k; with bias >= 0 one more row for the bias.
  const std::vector<double>& w() const;
  double bias() const;  ///< as LinearParams
  double rho() const;  ///< one_class: the decision is w'x - rho; else 0
  const LinearReport& report() const;

  const std::shared_ptr<const linear::LinearData>& data() const { return data_; }

 private:
  std::shared_ptr<const linear::LinearData> data_;
};

/// A model from its parts, shaped as LinearModel returns them. places: of each class in the order of LIBLINEAR's model, by which
/// ties are then decided, or none. Throws DataError when the parts do not fit together or are not finite.
LinearModel make_linear_model(LinearSolver solver, std::vector<double> classes, Index n_features, double bias, double rho,
                              std::vector<double> w, std::vector<int> places = {});

/// Trains on x (n x n_features) and y: n labels (classifiers), n targets (regression), or whatever, also null (one_class). More
/// than two classes: each against the rest, crammer_singer and multinomial all together. Stops where tol is met, with LIBLINEAR's
/// meaning for each solver, and where the certificate confirms it: report().stop_detail has the numbers. Throws ParameterError,
/// DataError, CapError, Interrupted, std::bad_alloc.
LinearModel train_linear(const DataView& x, const double* y, const LinearParams& params, const LinearInputs& inputs = {},
                         const Hooks& hooks = {});

/// Goes on from a model with rows that come after those it was trained on: one pass of dual coordinate descent over the new rows,
/// in random order, each of which takes the step that is best for it while all other dual variables stay (Hsieh et al. 2008; Yu,
/// Huang, Lin 2011). Several vectors: each class against the rest, or all of a row's classes together (crammer_singer,
/// multinomial). No optimum is claimed: report().stop_reason is one_pass, cancelled or time_limit, and objectives are NaN. Loss,
/// bias and classes are the model's; of params it uses C, class_weight, epsilon, cache_size, seed, n_threads and max_seconds. A
/// bias is in the norm, and moves less than in that descent. y: labels among the model's classes, or targets; also none, x may
/// have no rows. Throws as train_linear; ParameterError for solvers with |w|_1, one_class, C = infinity, l1_ratio and balanced
/// weights.
LinearModel train_linear_online(const LinearModel& model, const DataView& x, const double* y, const LinearParams& params,
                                const LinearInputs& inputs = {}, const Hooks& hooks = {});

/// train_linear on SVMlight (LIBSVM) text that may be larger than memory: it is parsed once into blocks of float32 values on
/// disk, or the blocks that are there are taken, and every pass reads those that do not fit options.memory_mb, which takes the
/// place of params.cache_size. For the solvers with 1/2 |w|^2 except crammer_singer, multinomial and one_class; dual problems
/// stop at a duality gap, as those with few columns do in memory. Throws as train_linear; FileError, ParseError; DataError for
/// blocks that are damaged or of another state of the file.
LinearModel train_linear_file(const std::string& path, const LinearParams& params, const BlockOptions& options = {},
                              const Hooks& hooks = {});

/// Columns of decision_function: LinearModel::n_vectors.
Index decision_columns(const LinearModel& model);
/// out: rows x decision_columns, row-major: w'x plus the bias (one_class: minus rho). Throws as decision_function of a Model.
void decision_function(const LinearModel& model, const DataView& x, double* out, const PredictOptions& options = {});
/// One number per row. Two classes: classes()[1] for a decision below 0, else classes()[0]; more, and crammer_singer: the class
/// of the largest decision, the first of equal ones. Models with LIBLINEAR's order of the classes (from its files, or from
/// LinearInputs::classes) decide ties by LIBLINEAR's rule: a decision of 0 between two classes is for the second in that order,
/// of equal ones the first counts. One class: that class. Regression: the decision; one_class: +1 for a decision > 0, else -1.
void predict(const LinearModel& model, const DataView& x, double* out, const PredictOptions& options = {});
/// Columns of predict_proba: the number of classes.
Index probability_columns(const LinearModel& model);
/// out: rows x classes, row-major: 1 / (1 + exp(-decision)); more than two classes: divided by their sum (LIBLINEAR's rule),
/// multinomial: the softmax of the decisions.
/// Throws as predict, and DataError for a solver without probabilities.
void predict_proba(const LinearModel& model, const DataView& x, double* out, const PredictOptions& options = {});

}  // namespace dcsvm
