// Line 4 of Algorithm 1 of Lan et al. (2019): linear SVMs on features, of all rows at once when they fit, else by selective block
// minimisation. Chang, Roth: Selective block minimization for faster convergence of limited memory large-scale linear models (KDD
// 2011): each block is solved together with the rows of earlier blocks that lie nearest to their margins, whose features stay in
// memory.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "base/context.hpp"
#include "data/row_blocks.hpp"
#include "low_rank/feature_map.hpp"
#include "low_rank/linear_svm.hpp"

namespace dcsvm::low_rank {

/// Where a training in blocks stands: what a checkpoint keeps.
struct BlockState {
  std::vector<BinaryState> problems;
  Index pass = 0, unit = 0;  ///< the next unit to solve
  double worst = 0;  ///< violation met in this pass so far
  std::vector<Index> kept{};  ///< rows of earlier units that the next unit is solved together with, in their order in memory
};

struct SolveStats {
  double violation = 0;
  double loss = 0;  ///< sum C_i loss_i; NaN in blocks
  bool cancelled = false;
  bool stagnated = false;  ///< converged in float, and not in double
  std::int64_t steps = 0, passes = 0, rows_mapped = 0;
  Index units = 1;
  double feature_seconds = 0, seconds = 0;  ///< of features, and in all
  std::size_t peak_bytes = 0;  ///< of features
};

class LowRankSolver {
 public:
  /// cap_bytes: for features. Throws CapError when it does not hold kLeastRowsAtOnce rows.
  LowRankSolver(const data::RowBlocks& source, const FeatureMap& map, std::size_t cap_bytes, base::ThreadPool& pool,
                base::Monitor* monitor);

  /// Whether the features of all rows stay in memory, so that several trainings can share them.
  bool resident() const { return units_.size() == 1; }
  /// Solves all problems of `state` from where they stand. n_passes: over the data, in blocks. after_unit (may be empty) is
  /// called when a block has been solved.
  SolveStats solve(const Labelled& data, const LinearOptions& options, int n_passes, BlockState& state,
                   const std::function<void(const BlockState&)>& after_unit = {});
  /// Resident: state.w from state.alpha (fit_intercept; without, the last weight is to be set to 0).
  void weigh(const Labelled& data, BinaryState& state);
  /// w'x + b of one resident row.
  double decision(const BinaryState& state, Index row) const;

 private:
  struct Unit {
    Index block = 0, first = 0, count = 0;  // rows [first, first + count) of the block
  };
  void load_all(SolveStats& stats);
  void load(const Unit& unit, SolveStats& stats);
  void load_kept(const std::vector<Index>& rows, SolveStats& stats);
  void keep_nearest(const Labelled& data, const BlockState& state);
  void drop_rows_of(const Unit& unit);
  void solve_resident(const Labelled& data, const LinearOptions& options, BlockState& state, SolveStats& stats);
  void solve_in_blocks(const Labelled& data, const LinearOptions& options, int n_passes, BlockState& state,
                       const std::function<void(const BlockState&)>& after_unit, SolveStats& stats);
  bool report(const LinearStats& part, std::int64_t steps);
  void compact(const std::vector<char>& keep);

  const data::RowBlocks& source_;
  const FeatureMap& map_;
  base::ThreadPool& pool_;
  base::Monitor* monitor_;
  std::vector<Unit> units_;
  Index room_ = 0, kept_room_ = 0;  // rows: of a unit, of earlier ones
  base::Buffer<float> features_;
  Resident resident_;
  bool loaded_ = false;
  std::atomic<bool> stop_{false};  // the host cancelled
  Index done_ = 0, total_ = 1;  // units, for progress
};

}  // namespace dcsvm::low_rank
