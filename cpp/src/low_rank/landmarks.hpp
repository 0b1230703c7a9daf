// Landmarks: chosen from a sample of the rows, or the caller's own.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "data/point_store.hpp"
#include "data/row_blocks.hpp"
#include "dcsvm/low_rank.hpp"
#include "low_rank/labels.hpp"

namespace dcsvm::low_rank {

/// Rows (ascending) of the blocks.
data::PointStore gather_rows(const data::RowBlocks& source, const std::vector<Index>& rows);

/// labels, kernel: LandmarkChoice::greedy looks at them, the others do not. Throws DataError when there are fewer distinct rows
/// than landmarks; greedy then returns fewer.
data::PointStore choose_landmarks(const data::RowBlocks& source, Index cols, const LowRankLabels& labels,
                                  const KernelParams& kernel, const LowRankParams& params, base::Context& context);

/// Checks the landmarks and the landmark kernel of `inputs`. Throws DataError, ParameterError.
void check_given_landmarks(const LowRankInputs& inputs, Index cols, const KernelParams& kernel, base::ThreadPool& pool);

}  // namespace dcsvm::low_rank
