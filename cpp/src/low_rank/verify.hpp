// Is a solution that was found with features in float optimal in double? A decision is a sum over the map's functions (kernel
// values or cosines), so that double needs the functions, and never the features of a row. All rows are computed: the error of
// features grows with the size of a row, so that no sample tells that of the others. It costs the functions of all rows once, and
// those of rows with alpha > 0 once more, in double.
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
  double loss = 0;  ///< sum C_i loss_i of all problems
};

class Verification {
 public:
  /// All of them must outlive it. kernel: gamma resolved; cols: of the data.
  Verification(const data::RowBlocks& source, Index cols, const KernelParams& kernel, const LowRankMap& map,
               base::ThreadPool& pool);

  /// Sets each problem's w to what its alpha says in double, and judges it. correct: the resident solver, whose decisions are
  /// then corrected to those in double (BinaryState::correction); or null.
  Certificate certify(const Labelled& data, const LinearOptions& options, BlockState& state, const LowRankSolver* correct) const;

 private:
  void weigh(const Labelled& data, bool with_bias, BlockState& state) const;
  /// Rows [begin, end) of x, whose first is number `first` of the data: use(number, values of the functions).
  template <class Use>
  void each_row(const DataView& x, Index first, Index begin, Index end, const Use& use) const;

  const data::RowBlocks& source_;
  const LowRankMap& map_;
  base::ThreadPool& pool_;
  std::unique_ptr<kernel_matrix::KernelValues<double>> functions_;
};

}  // namespace dcsvm::low_rank
