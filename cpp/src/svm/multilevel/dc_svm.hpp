// F5: the multilevel divide-and-conquer trainer. Hsieh, Si, Dhillon: A Divide-and-Conquer Solver for Kernel Support Vector
// Machines (ICML 2014), Algorithm 1.
//
// Levels l = l_max .. 1: cut the points into k^l clusters by (kernel) k-means, whose centres come from a sample of all points at
// the bottom and of the current support vectors above (adaptive clustering); solve each cluster on its own from the solution of
// the level below. Then the refine step solves on the support vectors of level 1. What remains is the whole problem,
// which the caller solves from here. By Lemma 1 the concatenated solution of a level is optimal for the kernel that is K
// within clusters and 0 between them, and by Theorem 1 its objective is within C^2 D(pi) / 2 of the optimum,
// D(pi) = sum of |K| between clusters.
//
// With a bias the clusters of a level share one bias when the kernel is local, else each has its own: see bias_search.hpp. Either
// way the result satisfies the whole problem's constraint sum beta = 0 for every pair. Several classes: the clusters are blind to
// labels and shared by all one-vs-one pairs; each pair is solved in each cluster.
#pragma once

#include <string>
#include <vector>

#include "base/context.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/params.hpp"
#include "kernel_matrix/row_source.hpp"
#include "svm/multilevel/partition.hpp"

namespace dcsvm::multilevel {

/// One-class and epsilon-SVR: one problem, laid out as the pair (0, 1) of two classes of which all points are of class 0; each
/// cluster has its own bias and its own constraint: sum alpha = nu sum w of its points (together those of all), sum(alpha -
/// alpha*) = 0. nu-SVC and nu-SVR have no levels: their clusters would each have a margin or tube of their own, and nu-SVC's need
/// not have enough points of both classes for nu.
struct Input {
  Formulation formulation = Formulation::c_svc;  ///< or one_class, epsilon_svr
  const double* y = nullptr;  ///< n targets of a regression
  DataView x;  ///< n x d; precomputed kernel: n x n
  KernelParams kernel;  ///< gamma resolved
  const std::vector<int>* class_of = nullptr;  ///< n positions of classes; -1: takes no part
  int n_classes = 2;
  const std::vector<double>* upper = nullptr;  ///< n: C_i >= 0; 0: takes no part
  const std::vector<Index>* order = nullptr;  ///< all points, in the order in which sub-problems list them; null: ascending
  const std::vector<double>* start = nullptr;  ///< feasible coefficients as in Result::coef, or null: zeros

  bool one_problem() const { return !is_classifier(formulation); }
};

/// One cluster of a level.
struct ClusterModel {
  std::vector<int> classes;  ///< present (with C_i > 0), ascending; one class: with a bias the decision is that class
  std::vector<double> rho;  ///< one per pair of `classes`, (0,1), (0,2), ...
};

struct Result {
  /// (n_classes - 1) x n row-major, LIBSVM's sv_coef layout: beta = y alpha of point i, of class a, in its pair with class b lies
  /// in row b - 1 when b > a, else in row b; positive when a < b. Feasible for every pair's whole problem, also when cancelled.
  /// Unless each cluster has its own bias, coefficients of pairs whose other class is absent from the cluster are those of a
  /// one-sided problem.
  std::vector<double> coef;
  std::vector<LevelReport> levels;  ///< bottom first; the last one has level 0 when the refine step ran
  StopReason stop_reason = StopReason::converged;  ///< cancelled; or with early_level that of the last level's sub-problems
  double objective = 0;  ///< of the last level or the refine step: sum over its sub-problems
  double violation = 0;  ///< the largest of theirs
  std::string note;  ///< what was asked for and did not fit the points: early_level or the default branching; else empty
  std::int64_t n_iter = 0;  ///< SMO steps over all levels
  std::int64_t n_clustering_values = 0;  ///< values of a clustering kernel other than the model's, which `rows` does not count
  std::int64_t peak_bytes = 0;  ///< working memory held at once, as the solver reports it
  LevelPartition partition;  ///< of the lowest-numbered level solved
  std::vector<ClusterModel> clusters;  ///< of that level
};

/// l_max: params.n_levels, or for 0 the fewest levels that bring the bottom clusters to about 2000 points (and at least
/// early_level). n: points that take part. ParameterError naming n_levels or branching when they ask for more clusters than
/// points. What nobody asked for gives way instead: fewer points than the default branching are a cluster each, and an
/// early_level that n_levels does not name is lowered to the deepest level that n points have (see resolve_early_level).
int resolve_levels(const TrainParams& params, Index n);

/// params.early_level, at most the deepest level l >= 1 with branching^l <= n.
int resolve_early_level(const TrainParams& params, Index n);

/// The level after which the refine step comes: early_level, or 1; where n_levels is left to us, the first with at least 16
/// clusters (but no deeper than `bottom`). bottom: resolve_levels(params, n).
int resolve_last_level(const TrainParams& params, int bottom, Index n);

/// Runs levels l_max..1 and the refine step; with params.early_level = l stops after level l. Uses of params: fit_intercept, tol,
/// shrinking, max_iter (per sub-problem; at most
/// warm_start_ceiling where the solution only starts the next level), n_levels, branching, sample_size, clustering,
/// balance_clusters, early_level, seed. `rows`: kernel matrix of x under `kernel`. Deterministic for any number of threads. On
/// cancellation returns what there is. Throws ParameterError, CapError, Interrupted.
template <class T>
Result dc_svm(const Input& input, const kernel_matrix::RowSource<T>& rows, const TrainParams& params, base::Context& context);

}  // namespace dcsvm::multilevel
