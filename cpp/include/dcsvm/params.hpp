// Everything that decides what a training computes. Names are scikit-learn's where it has one.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm {

enum class KernelType { linear, poly, rbf, sigmoid, precomputed };

/// K(x, y) = x'y | (gamma x'y + coef0)^degree | exp(-gamma |x - y|^2) | tanh(gamma x'y + coef0) | given.
struct KernelParams {
  KernelType type = KernelType::rbf;
  int degree = 3;
  double gamma = 0.0;  ///< 0: not set; TrainParams::gamma_rule says how it is found
  double coef0 = 0.0;
};

/// How gamma is found: as given, 1 / (n_features * Var(X)) over all entries ("scale"), or 1 / n_features ("auto").
/// `unspecified`: as given when KernelParams::gamma is set, else "scale". The others hold whatever gamma says.
enum class GammaRule { value, scale, automatic, unspecified };

enum class SolverType { automatic, smo, dc };
enum class Precision { single_, double_ };
enum class ClusteringType { kernel_kmeans, kmeans };
/// How a model of a lower level predicts: Eq. (6), Eq. (5), or a Bayesian committee (Tresp 2000).
enum class LevelPrediction { early, naive, bcm };

/// C-SVC: min 1/2 a'Qa - e'a, 0 <= a_i <= C_i, and y'a = 0 when fit_intercept.
/// C_i = C * class_weight(y_i) * sample_weight_i.
struct TrainParams {
  KernelParams kernel;
  GammaRule gamma_rule = GammaRule::unspecified;
  double C = 1.0;
  bool fit_intercept = true;   ///< with bias (LIBSVM's problem) or without (the DC-SVM paper's)
  double tol = 1e-3;           ///< stop when the maximal KKT violation is below
  double cache_size = 2000.0;  ///< MB (2^20 bytes) for kernel rows and packed data: a cap on the working memory
  bool shrinking = true;
  std::int64_t max_iter = -1;  ///< SMO steps in each binary (sub-)problem; -1: LIBSVM's ceiling, max(10^7, 100 n)
  Precision precision = Precision::single_;
  std::vector<std::pair<double, double>> class_weight;  ///< (label, factor); labels not named have factor 1
  bool balanced = false;  ///< class_weight "balanced": n / (k * n_c)
  /// Also calibrate the model for predict_proba, by a cross-validation of 5 folds (about 5 more trainings). Needs fit_intercept
  /// unless the model is early.
  bool probability = false;

  SolverType solver = SolverType::automatic;
  int n_levels = 0;  ///< l_max; level l has branching^l clusters. 0: chosen from n
  int branching = 4;  ///< k
  Index sample_size = 1000;  ///< m, points in the clustering sample
  ClusteringType clustering = ClusteringType::kernel_kmeans;
  bool balance_clusters = true;  ///< split oversize clusters, drop the smallest
  std::optional<int> early_level;  ///< none: exact; l: stop after level l and return a clustered model
  LevelPrediction prediction = LevelPrediction::early;  ///< of a clustered model; another one needs early_level

  std::uint64_t seed = 0;  ///< same data, parameters, seed and ISA: the same model, whatever n_threads
  int n_threads = 0;  ///< 0: DCSVM_NUM_THREADS, else OMP_NUM_THREADS, else every core this process may use
};

}  // namespace dcsvm
