// What the multilevel trainer reads of a training's parameters.
#pragma once

#include <optional>

#include "svm/problems/solve_binary.hpp"

namespace dcsvm::multilevel {

/// Ranges and defaults are those of TrainParams.
struct Options {
  Options(const TrainParams& p)
      : formulation(svm::formulation_of(p)),
        tol(p.tol),
        max_iter(p.max_iter),
        shrinking(p.shrinking),
        n_levels(p.n_levels),
        branching(p.branching),
        early_level(p.early_level),
        clustering(p.clustering),
        sample_size(p.sample_size),
        balance_clusters(p.balance_clusters),
        keep_levels(p.keep_levels) {}

  svm::FormulationParams formulation;  ///< c_svc, one_class or epsilon_svr
  double tol;
  std::int64_t max_iter;  ///< of each sub-problem; at most warm_start_ceiling where the solution only starts the next solve
  bool shrinking;
  int n_levels, branching;
  std::optional<int> early_level;
  ClusteringType clustering;
  Index sample_size;
  bool balance_clusters;
  bool keep_levels;
};

}  // namespace dcsvm::multilevel
