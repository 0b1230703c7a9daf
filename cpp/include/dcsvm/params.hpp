// Everything that decides what a training computes. Names are scikit-learn's where it has one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm {

/// What is trained. Files and the C interfaces keep the numbers, which are LIBSVM's; kernel_ridge is not LIBSVM's and is trained
/// by train_ridge (ridge.hpp).
enum class Formulation { c_svc = 0, nu_svc = 1, one_class = 2, epsilon_svr = 3, nu_svr = 4, kernel_ridge = 5 };
/// What a formulation has. No default: the compiler names one that is missing.
struct FormulationTraits {
  const char* name = nullptr;
  /// What it predicts: classes, numbers, or sides of a boundary around the rows (+1 inside, -1 outside), for which nobody gives
  /// targets. One of the three.
  bool classes = false, numbers = false, sides = false;
  bool C = false, nu = false, epsilon = false;  ///< its parameters
  bool divides = false;  ///< into clusters: each cluster's problem is of the same kind as the whole
};
constexpr FormulationTraits traits_of(Formulation f) noexcept {
  FormulationTraits has;
  switch (f) {
    case Formulation::c_svc: has.name = "c_svc", has.classes = has.C = has.divides = true; break;
    // Each cluster would have its own margin.
    case Formulation::nu_svc: has.name = "nu_svc", has.classes = has.nu = true; break;
    case Formulation::one_class: has.name = "one_class", has.sides = has.nu = has.divides = true; break;
    case Formulation::epsilon_svr: has.name = "epsilon_svr", has.numbers = has.C = has.epsilon = has.divides = true; break;
    // Each cluster would have its own tube.
    case Formulation::nu_svr: has.name = "nu_svr", has.numbers = has.C = has.nu = true; break;
    case Formulation::kernel_ridge: has.name = "kernel_ridge", has.numbers = true; break;
  }
  return has;
}
constexpr auto names_of(Formulation) { return names_by_traits<Formulation>(); }
constexpr bool is_classifier(Formulation f) noexcept { return traits_of(f).classes; }
constexpr bool is_regression(Formulation f) noexcept { return traits_of(f).numbers; }
constexpr bool uses_C(Formulation f) noexcept { return traits_of(f).C; }
constexpr bool uses_nu(Formulation f) noexcept { return traits_of(f).nu; }
constexpr bool predicts_sides(Formulation f) noexcept { return traits_of(f).sides; }
/// Whether the margin r is a variable of the problem, so that the coefficients are alpha / r.
constexpr bool finds_margin(Formulation f) noexcept { return is_classifier(f) && uses_nu(f); }
/// Whether all multipliers have one sign and the fixed sum nu sum w.
constexpr bool sum_is_nu(Formulation f) noexcept { return predicts_sides(f) && uses_nu(f); }
constexpr bool each_predicts_one_thing() noexcept {
  for (std::size_t i = 0; i < number_of_values<Formulation>(); ++i) {
    const FormulationTraits has = traits_of(static_cast<Formulation>(i));
    if (int{has.classes} + int{has.numbers} + int{has.sides} != 1) return false;
  }
  return true;
}
static_assert(each_predicts_one_thing(), "each formulation says whether it predicts classes, numbers or sides");

/// smo: one problem from the start; dc: divide and conquer; rand: RandSVM, problems of random samples (Krishnan, Bhattacharyya,
/// Hariharan 2007); cascade: cascade SVM (Graf et al. 2004). The last two are for c_svc.
enum class SolverType { automatic, smo, dc, rand, cascade };
constexpr auto names_of(SolverType) { return std::array{"auto", "smo", "dc", "rand", "cascade"}; }
/// random: clusters of equal size that are drawn at random, the baseline of the DC-SVM paper's Figure 1. They cannot route
/// queries.
enum class ClusteringType { kernel_kmeans, kmeans, random };
constexpr auto names_of(ClusteringType) { return std::array{"kernel_kmeans", "kmeans", "random"}; }
/// How a model of a lower level predicts: Eq. (6) or Eq. (5) of the DC-SVM paper. Files keep the numbers.
enum class LevelPrediction { early = 0, naive = 1 };
constexpr auto names_of(LevelPrediction) { return std::array{"early", "naive"}; }

/// With w_i = sample_weight_i, Q_ij = y_i y_j K_ij, n rows that take part (of the pair, for classifiers):
///   c_svc        min 1/2 a'Qa - e'a, 0 <= a_i <= C_i, and y'a = 0 when fit_intercept; C_i = C class_weight(y_i) w_i
///   nu_svc       min 1/2 a'Qa, 0 <= a_i <= w_i, y'a = 0, sum a = nu sum w; the model's coefficients are y_i a_i / r with the
///                margin r (Chang, Lin: Training nu-SVC, 2001)
///   one_class    min 1/2 a'Ka, 0 <= a_i <= w_i, sum a = nu sum w
///   epsilon_svr  min 1/2 d'Kd + epsilon sum(a + a*) - y'd, d = a - a*, 0 <= a_i, a*_i <= C w_i, and sum d = 0 when fit_intercept
///                with a quantile t: 0 <= a_i <= t C w_i, 0 <= a*_i <= (1 - t) C w_i
///   nu_svr       min 1/2 d'Kd - y'd, 0 <= a_i, a*_i <= C w_i, sum d = 0, sum(a + a*) = C nu sum w
/// These are LIBSVM's problems, with scikit-learn's sample weights.
struct TrainParams {
  Formulation formulation = Formulation::c_svc;
  KernelParams kernel;
  GammaRule gamma_rule = GammaRule::unspecified;
  double C = 1.0;        ///< c_svc, epsilon_svr, nu_svr: > 0
  double nu = 0.5;  ///< nu_svc, one_class, nu_svr: in (0, 1]; for nu_svc at most 2 min(n_a, n_b) / (n_a + n_b) for each pair
  double epsilon = 0.1;  ///< epsilon_svr: half width of the tube without loss, >= 0
  /// epsilon_svr: 0, or the quantile in (0, 1) of y that is predicted: what a prediction is too low costs quantile C, what it is
  /// too high (1 - quantile) C (Takeuchi, Le, Sears, Smola 2006). Best with epsilon 0, the pinball loss.
  double quantile = 0;
  bool fit_intercept = true;  ///< with bias (LIBSVM's problem) or without (the DC-SVM paper's; c_svc and epsilon_svr only)
  double tol = 1e-3;  ///< stop when the maximal KKT violation is below, and what is left to gain is small (docs/methods/svm.md)
  /// For faces of LIBSVM, and no parameter of others: the violation alone decides, and one_class has LIBSVM's rho.
  bool absolute_tol = false;
  double cache_size = 2000.0;  ///< MB (2^20 bytes) for kernel rows and packed data: a cap on the working memory
  bool shrinking = true;
  std::int64_t max_iter = -1;  ///< SMO steps in each binary (sub-)problem; 0: no step; -1: LIBSVM's ceiling, max(10^7, 100 n)
  Precision precision = Precision::single_;
  std::vector<std::pair<double, double>> class_weight;  ///< (label, factor); labels not named have factor 1. c_svc only
  bool balanced = false;  ///< class_weight "balanced": n / (k * n_c)
  /// Also calibrate the model for predict_proba by a cross-validation of 5 folds drawn by `seed`, LIBSVM's way: 4 to 5 times the
  /// work. one_class: no folds, marks of its density.
  bool probability = false;

  SolverType solver = SolverType::automatic;
  int n_levels = 0;  ///< l_max; level l has branching^l clusters. 0: chosen from n (docs/reference/train.md)
  int branching = 4;  ///< k
  Index sample_size = 1000;  ///< m, points in the clustering sample
  ClusteringType clustering = ClusteringType::kernel_kmeans;
  bool balance_clusters = true;  ///< split oversize clusters, drop the smallest
  bool keep_levels = false;  ///< LevelReport then holds each level's clusters and coefficients: 12 bytes a row and more
  std::optional<int> early_level;  ///< none: exact; l: stop after level l and return a clustered model
  LevelPrediction prediction = LevelPrediction::early;  ///< of a clustered model; another one needs early_level

  /// rand: k, the estimated number of support vectors of each pair, at which it stops; 0: the smallest k of Eq. (4),
  /// 16 / rand_epsilon^2 log(4 n / rand_delta)
  Index n_support_estimate = 0;
  double rand_epsilon = 0.2;  ///< of Eq. (4): distortion, in (0, 1)
  double rand_delta = 0.9;  ///< of Eq. (4): probability of a worse result, in (0, 1)
  double sample_factor = 2.0;  ///< rand: c >= 1; samples have c k points
  int cascade_leaves = 8;  ///< cascade: parts of the first layer, a power of two
  int cascade_passes = 0;  ///< cascade: at most; 0: until no point violates

  std::uint64_t seed = 0;  ///< same data, parameters, seed and ISA: the same model, whatever n_threads
  int n_threads = 0;  ///< 0: DCSVM_NUM_THREADS, else OMP_NUM_THREADS, else every core this process may use
  double max_seconds = 0;  ///< 0: no limit
};

/// Of a training, besides X and y.
struct TrainInputs {
  /// n weights >= 0, or null. Rows of weight 0 do not take part.
  const double* sample_weight = nullptr;
  /// n_pairs x n_samples row-major feasible start (what Model::alpha returns), or null. Not for nu_svc and nu_svr
  /// (ParameterError): what a model keeps of their alpha is scaled, or a difference.
  const double* warm_start_alpha = nullptr;
  /// A file that keeps what was found so far, for train and cross_validate; empty: none. A call that was killed, interrupted or
  /// cancelled and is made again with the same data, parameters (n_threads and max_seconds may differ) and version goes on from
  /// there, to the same objective within tol; clustering and kernel values in memory are computed again. The file is replaced
  /// atomically, has a checksum, and is removed when the call has its result. DataError: the file is damaged, or of another call;
  /// FileError: it cannot be written, also later (the call ends, and the last state stays).
  std::string checkpoint{};
  double checkpoint_interval = 60.0;  ///< seconds of work that may be lost, > 0
  /// n_pairs x n_samples row-major, or null: sum_j b_j K(x_i, x_j) of warm_start_alpha for each row i of a pair, where b_j is
  /// y_j alpha_j (regression: alpha_j - alpha_j*; one_class: alpha_j). For callers that know these sums: the training then does
  /// not compute n_samples kernel values for each support vector of the start. Up to 16 rows of each pair are compared
  /// with kernel values, and all sums of the pair are computed where one differs by more than a quarter of tol. What is wrong in
  /// other rows is not noticed: the report's violation is then not that of the solution. Unused where the solver does not go on
  /// from the start ("dc", "rand", "cascade") or takes none (nu_svc, nu_svr). ParameterError: without warm_start_alpha, or one is
  /// not finite.
  const double* warm_start_sums = nullptr;
  /// n_pairs x n_samples row-major, or null: for each row i of a pair, sum_j b_j K(x_i, x_j) over rows that are not in x and
  /// whose b_j stay as they are. Training then finds the b of x's rows that minimise the dual of all these rows together: one
  /// step of a block descent, for callers who cannot or do not want to solve all rows at once (Joachims 1998). warm_start_alpha
  /// (null: zeros) need not satisfy the equality constraint by itself: sum y alpha keeps its value (one_class: sum alpha is nu's,
  /// as always). The report's objective lacks the part that only fixed rows have, and the model's decision values lack these
  /// rows. ParameterError: with nu_svc, nu_svr, probability, early_level, or a solver other than "auto" and "smo"; or one is not
  /// finite.
  const double* fixed_row_sums = nullptr;
};

}  // namespace dcsvm
