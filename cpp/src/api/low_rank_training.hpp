// F7: Algorithm 1 (llsvm) from blocks of rows to a model; train_low_rank, the path of C and training from files share it.
#pragma once

#include <functional>
#include <vector>

#include "api/low_rank_labels.hpp"
#include "api/low_rank_map.hpp"
#include "approx/low_rank_solver.hpp"
#include "base/context.hpp"

namespace dcsvm::api {

class LowRankTraining {
 public:
  /// Chooses landmarks, makes the map. source and labels must outlive it; `cols`: columns of the data.
  LowRankTraining(const approx::RowBlocks& source, Index cols, const LowRankLabels& labels, const LowRankParams& params,
                  const LowRankInputs& inputs, base::Context& context);

  approx::LowRankSolver& solver() { return solver_; }
  const LowRankMap& map() const { return map_; }
  /// Problems at alpha = 0.
  approx::BlockState start() const;
  /// Solves from `state` with C_i = C * weight; class_of: null for the labels', else some rows left out (-1).
  approx::SolveStats solve(double C, const std::vector<int>* class_of, approx::BlockState& state,
                           const std::function<void(const approx::BlockState&)>& after_unit = {});
  /// The model of a solved state. with_alpha: keep the dual variables.
  LowRankModel model(double C, const approx::BlockState& state, const approx::SolveStats& stats, bool with_alpha = true) const;

 private:
  KernelParams resolve_kernel(const approx::RowBlocks& source) const;

  const LowRankLabels& labels_;
  const LowRankParams& params_;
  base::Context& context_;
  Index cols_;
  KernelParams kernel_;
  LowRankMap map_;
  approx::LowRankSolver solver_;
};

}  // namespace dcsvm::api
