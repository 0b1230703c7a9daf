// Pseudo landmark points (Hsieh, Si, Dhillon 2014, Section 4): features made from a row's kernel values at the leaf's landmarks,
// without an inner product of their own.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "dc_pred/leaf_features.hpp"

namespace dcsvm::dc_pred {

/// Gives the leaf p pseudo landmarks: rows of `rows` among `candidates` (triangle), or pairs of landmarks (polynomial); fewer
/// where there are fewer.
void add_pseudo(PseudoLandmarks kind, Index p, const data::DenseRows& rows, const std::vector<Index>& candidates,
                base::Random& random, LeafBasis& basis);

/// One row's pseudo features, and padding, into out. values: its kernel values at the m landmarks; distances: to them (triangle).
void pseudo_features(PseudoLandmarks kind, const LeafBasis& basis, const float* values, const float* distances, float* out);

}  // namespace dcsvm::dc_pred
