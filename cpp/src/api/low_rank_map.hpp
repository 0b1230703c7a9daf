// F7: lines 1 to 3 of Algorithms 1 and 2 (llsvm): landmarks and the map, from a sample of the data.
#pragma once

#include <memory>
#include <vector>

#include "api/low_rank_labels.hpp"
#include "approx/feature_map.hpp"
#include "approx/row_blocks.hpp"
#include "base/context.hpp"
#include "models/low_rank_data.hpp"

namespace dcsvm::api {

/// Rows (ascending) of the blocks.
models::PointStore gather_rows(const approx::RowBlocks& source, const std::vector<Index>& rows);

/// A map and what a model keeps of it.
struct LowRankMap {
  std::unique_ptr<approx::FeatureMap> features;
  models::PointStore points;   ///< functions that `features` uses, in order; precomputed: empty
  std::vector<Index> used;
  std::vector<double> phases;  ///< rks, fastfood
  double negative_share = 0;
  double lambda = 0;           ///< supervised
  double landmark_seconds = 0, map_seconds = 0;
};

/// kernel: gamma resolved. Throws DataError for fewer distinct rows than landmarks and for kernels that are not positive
/// semi-definite on the landmarks (sigmoid: negative eigenvalues are cut off, see negative_share).
LowRankMap make_map(const approx::RowBlocks& source, Index cols, const LowRankLabels& labels, const KernelParams& kernel,
                    const LowRankParams& params, const LowRankInputs& inputs, base::Context& context);

}  // namespace dcsvm::api
