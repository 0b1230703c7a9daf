// The multilevel divide-and-conquer trainer. Hsieh, Si, Dhillon: A Divide-and-Conquer Solver for Kernel Support Vector Machines
// (ICML 2014), Algorithm 1.
//
// 1. For levels l = l_max .. 1: cut the points into k^l clusters by (kernel) k-means. The centres come from a sample, of all
//    points at the bottom and of the current support vectors above (adaptive clustering).
// 2. Solve each cluster on its own, from the solution of the level below.
// 3. Refine: solve on the support vectors of level 1.
// 4. The caller solves the whole problem from there.
//
// By Lemma 1 the concatenated solution of a level is optimal for the kernel that is K within clusters and 0 between them. By
// Theorem 1 its objective is within C^2 D(pi) / 2 of the optimum, D(pi) = sum of |K| between clusters.
//
// With a bias the clusters of a level share one bias when the kernel is local, else each has its own: see bias_search.hpp. Either
// way the result satisfies the whole problem's constraint sum beta = 0 for every pair. Clustering ignores labels, so all class
// pairs share one partition; each pair is solved in each cluster.
//
// One-class and epsilon-SVR: each cluster has its own bias and its own constraint, sum alpha = nu sum w of its points (together
// those of all) or sum(alpha - alpha*) = 0. nu-SVC and nu-SVR have no levels: their clusters would each have a margin or tube of
// their own, and nu-SVC's need not have enough points of both classes for nu.
#pragma once

#include <string>
#include <vector>

#include "base/context.hpp"
#include "dcsvm/model.hpp"
#include "kernel_matrix/row_source.hpp"
#include "svm/multilevel/options.hpp"
#include "svm/multilevel/partition.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm::multilevel {

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
  std::string note;  ///< for the report: early_level or the default branching did not fit the number of points; else empty
  std::int64_t n_iter = 0;  ///< SMO steps over all levels
  std::int64_t n_clustering_values = 0;  ///< values of a clustering kernel other than the model's, which `rows` does not count
  std::int64_t peak_bytes = 0;  ///< working memory held at once, as the solver reports it
  LevelPartition partition;  ///< of the lowest-numbered level solved
  std::vector<ClusterModel> clusters;  ///< of that level
};

/// l_max: options.n_levels, or for 0 early_level where it is given (levels below it cost more than the start that they give),
/// else the fewest levels that bring the bottom clusters to about 2000 points. n: points that take part. options: checked
/// (svm::check_params). ParameterError naming n_levels or branching when they ask for more clusters than points. Defaults adapt
/// instead: fewer points than the default branching are a cluster each, and an early_level given without n_levels is lowered to
/// the deepest level that n points have (see resolve_early_level).
int resolve_levels(const Options& options, Index n);

/// options.early_level, at most the deepest level l >= 1 with branching^l <= n.
int resolve_early_level(const Options& options, Index n);

/// Clusters of level options.early_level, at most.
Index early_clusters(const Options& options, Index n);

/// The level after which the refine step comes: early_level, or 1; for n_levels = 0 the first with at least 16 clusters (but no
/// deeper than `bottom`). bottom: resolve_levels(options, n).
int resolve_last_level(const Options& options, int bottom, Index n);

/// Runs levels l_max..1 and the refine step, from problem.start; with options.early_level = l stops after level l. `rows`: kernel
/// matrix of all points. Deterministic for any number of threads. On cancellation returns what there is. Throws ParameterError,
/// CapError, Interrupted.
template <class T>
Result dc_svm(const svm::TrainingProblem& problem, const kernel_matrix::RowSource<T>& rows, const Options& options,
              base::Context& context);

}  // namespace dcsvm::multilevel
