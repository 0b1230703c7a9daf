// Algorithm 1 of Lan et al. (2019) from blocks of rows to a model; train_low_rank, the path of C and training from files share
// it.
#pragma once

#include <functional>
#include <vector>

#include "base/context.hpp"
#include "low_rank/labels.hpp"
#include "low_rank/make_map.hpp"
#include "low_rank/solver.hpp"

namespace dcsvm::low_rank {

class LowRankTraining {
 public:
  /// Chooses landmarks, makes the map. source and labels must outlive it; `cols`: columns of the data.
  LowRankTraining(const data::RowBlocks& source, Index cols, const LowRankLabels& labels, const LowRankParams& params,
                  const LowRankInputs& inputs, base::Context& context);

  LowRankSolver& solver() { return solver_; }
  const LowRankMap& map() const { return map_; }
  /// Problems at alpha = 0.
  BlockState start() const;
  /// Solves from `state` with C_i = C * weight; class_of: null for the labels', else some rows left out (-1):
  /// a fold, whose solution has a score and no report, and is not verified.
  SolveStats solve(double C, const std::vector<int>* class_of, BlockState& state,
                   const std::function<void(const BlockState&)>& after_unit = {});
  /// The model of a solved state. with_alpha: keep the dual variables.
  LowRankModel model(double C, const BlockState& state, const SolveStats& stats, bool with_alpha = true) const;

 private:
  KernelParams resolve_kernel(const data::RowBlocks& source) const;
  void verify(const Labelled& data, BlockState& state, SolveStats& stats,
              const std::function<void(const BlockState&)>& after_unit);
  LowRankReport report(double C, const BlockState& state, const SolveStats& stats) const;

  const data::RowBlocks& source_;
  const LowRankLabels& labels_;
  LowRankParams params_;
  base::Context& context_;
  Index cols_;
  KernelParams kernel_;
  LowRankMap map_;
  LowRankSolver solver_;
};

}  // namespace dcsvm::low_rank
