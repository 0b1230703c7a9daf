// Solves every pair of classes in every cluster of one level, and the refine step.
#pragma once

#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "svm/multilevel/bias_search.hpp"
#include "svm/multilevel/dc_svm.hpp"

namespace dcsvm::multilevel {

struct LevelRequest {
  const std::vector<std::int32_t>* cluster_of = nullptr;
  Index clusters = 1;
  BiasMode mode = BiasMode::own;
  double tol = 1e-3;
  int rounds = 1;         ///< common: solves of all clusters, at most
  double bias_tol = 0.0;  ///< common: steps of the bias below this end the search
  bool final = false;     ///< its solution is returned; else it only starts the next solve, and need not be exact
};

/// SMO steps that a problem of `size` points may take when its solution only starts another solve. Without this ceiling, problems
/// that cannot converge in float (exact duplicates with opposite labels under a huge C, say) would each take LIBSVM's 10^7 steps.
std::int64_t warm_start_ceiling(Index size, std::int64_t max_iter);

/// What solving a level did, beside the coefficients.
struct LevelOutcome {
  std::vector<ClusterModel> clusters;  ///< empty for the refine step
  LevelReport report;  ///< sizes (points of each cluster that take part), objective, violation and n_iter
  StopReason stop_reason = StopReason::converged;
  std::int64_t peak_bytes = 0;
};

/// Solves each cluster's pairs from `coef` and overwrites it. `searches`: one per pair of classes, kept from level to level.
/// BiasMode::own: a pair of which a cluster holds one class only gets 0 there. Other modes: it is solved as the one-sided
/// problem that it is. If cancelled, clusters not solved keep their start; with options.early_level, where they will predict, all
/// are then measured as they stand, and one without any coefficient gets the bias of the class with more weight.
template <class T>
LevelOutcome solve_level(const svm::TrainingProblem& problem, const kernel_matrix::RowSource<T>& rows,
                         const LevelRequest& request, const Options& options, std::vector<BiasSearch>& searches,
                         std::vector<double>& coef, base::Context& context, const Progress& progress);

/// Solves each pair on its support vectors.
template <class T>
LevelOutcome refine(const svm::TrainingProblem& problem, const kernel_matrix::RowSource<T>& rows, const Options& options,
                    std::vector<double>& coef, base::Context& context, const Progress& progress);

/// Makes every pair of classes satisfy its constraint sum beta = 0 over all points.
void balance_pairs(const svm::TrainingProblem& problem, std::vector<double>& coef);

/// Points with a non-zero coefficient, ascending.
std::vector<Index> support_of(const std::vector<double>& coef, Index n);

}  // namespace dcsvm::multilevel
