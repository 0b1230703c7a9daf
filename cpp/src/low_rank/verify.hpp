// Is a solution that was found with features in float optimal in double? A decision is a sum over the map's functions (kernel
// values or cosines), so that double needs the functions, and never the features of a row.
#pragma once

#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/row_blocks.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "low_rank/linear_svm.hpp"
#include "low_rank/make_map.hpp"
#include "low_rank/solver.hpp"

namespace dcsvm::low_rank {

struct Certificate {
  double violation = 0;  ///< largest |projected gradient| of all problems
  double loss = 0;       ///< sum C_i loss_i of all problems
};

/// What float may have changed, estimated from some rows.
struct FloatError {
  double violation = 0;  ///< added to or hidden of the violation
  double objective = 0;  ///< of the sum of all problems' dual objectives
};

class Verification {
 public:
  /// All of them must outlive it. kernel: gamma resolved; cols: of the data.
  Verification(const data::RowBlocks& source, Index cols, const KernelParams& kernel, const LowRankMap& map,
               base::ThreadPool& pool);

  /// Of a resident solution.
  FloatError error(const Labelled& data, const BlockState& state, const LowRankSolver& solver) const;
  /// Sets each problem's w to what its alpha says in double.
  void weigh(const Labelled& data, bool with_bias, BlockState& state) const;
  /// Weighs, and judges the w found. correct: the resident solver, whose decisions are then
  /// corrected to those in double (BinaryState::correction); or null.
  Certificate certify(const Labelled& data, const LinearOptions& options, BlockState& state, const LowRankSolver* correct) const;

 private:
  /// Rows [begin, end) of x, whose first is number `first` of the data: use(number, values of the functions).
  template <class Use>
  void each_row(const DataView& x, Index first, Index begin, Index end, const Use& use) const;
  struct Features {
    std::vector<double> exact, lacking;  // rows x cols: in double, and what float lacks of them
  };
  Features features_of(const std::vector<Index>& rows, const LowRankSolver& solver) const;  // rows: ascending

  const data::RowBlocks& source_;
  const LowRankMap& map_;
  base::ThreadPool& pool_;
  std::unique_ptr<kernel_matrix::KernelValues<double>> functions_;
};

}  // namespace dcsvm::low_rank
