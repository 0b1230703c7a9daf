// Solves every pair of classes in every cluster of one level, and the refine step.
#pragma once

#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "multilevel/dc_svm.hpp"

namespace dcsvm::multilevel {

/// What solving a level did, beside the coefficients.
struct LevelOutcome {
  std::vector<ClusterModel> clusters;  ///< empty for the refine step
  std::vector<Index> sizes;            ///< points of each cluster that take part
  StopReason stop_reason = StopReason::converged;
  double objective = 0, violation = 0;
  std::int64_t n_iter = 0, peak_bytes = 0;
};

/// Solves each cluster's pairs from `coef` and overwrites it. With a bias, a pair of which a cluster holds one class only gets 0 there.
/// Without, it is solved as the one-sided problem that it is. If cancelled, clusters not solved keep their balanced start.
template <class T>
LevelOutcome solve_level(const Input& input, const rows::RowSource<T>& rows, const std::vector<std::int32_t>& cluster_of,
                         Index clusters, const TrainParams& params, double tol, std::vector<double>& coef, base::Context& context,
                         const Progress& progress);

/// Solves each pair on its support vectors.
template <class T>
LevelOutcome refine(const Input& input, const rows::RowSource<T>& rows, const TrainParams& params, std::vector<double>& coef,
                    base::Context& context, const Progress& progress);

/// Points with a non-zero coefficient, ascending.
std::vector<Index> support_of(const std::vector<double>& coef, Index n);

/// Whether point i takes part.
inline bool takes_part(const Input& input, Index i) {
  return (*input.class_of)[static_cast<std::size_t>(i)] >= 0 && (*input.upper)[static_cast<std::size_t>(i)] > 0.0;
}

}  // namespace dcsvm::multilevel
