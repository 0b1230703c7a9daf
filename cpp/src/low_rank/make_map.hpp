// Lines 1 to 3 of Algorithms 1 and 2 of Lan et al. (2019): landmarks and the map, from a sample of the data.
#pragma once

#include <memory>
#include <vector>

#include "base/context.hpp"
#include "data/row_blocks.hpp"
#include "low_rank/feature_map.hpp"
#include "low_rank/labels.hpp"
#include "low_rank/model_data.hpp"

namespace dcsvm::low_rank {

/// A map and what a model keeps of it.
struct LowRankMap {
  std::unique_ptr<FeatureMap> features;
  data::PointStore points;   ///< functions that `features` uses, in order; precomputed: empty
  std::vector<Index> used;
  std::vector<double> phases;  ///< rks, fastfood
  double negative_share = 0;
  double lambda = 0;           ///< supervised
  double landmark_seconds = 0, map_seconds = 0;
};

/// K(landmarks, landmarks) in double, exactly symmetric; given: of a precomputed kernel, else null. Throws DataError for infinity
/// and NaN.
base::Buffer<double> landmark_kernel(const DataView& landmarks, const KernelParams& kernel, const DataView* given,
                                     base::ThreadPool& pool);
/// M of Eq. (12) for K_zz (k x k). Throws DataError as make_map does.
NystromMap kernel_map(const base::Buffer<double>& k_zz, Index k, const KernelParams& kernel, base::ThreadPool& pool);

/// kernel: gamma resolved. Throws DataError for fewer distinct rows than landmarks and for kernels that are not positive
/// semi-definite on the landmarks (sigmoid: negative eigenvalues are cut off, see negative_share).
LowRankMap make_map(const data::RowBlocks& source, Index cols, const LowRankLabels& labels, const KernelParams& kernel,
                    const LowRankParams& params, const LowRankInputs& inputs, base::Context& context);

}  // namespace dcsvm::low_rank
