// The numbers that a leaf's coefficients multiply: kernel values at landmarks, and those made from them (dcpred, Section 4).
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "data/dense_rows.hpp"
#include "dcsvm/dc_pred.hpp"
#include "simd/ops.hpp"

namespace dcsvm::dc_pred {

/// A leaf's landmarks. Features come as m numbers, padding, p numbers, padding.
struct LeafBasis {
  Index m = 0, p = 0, d = 0, stride = 0;
  float gamma = 1;                  ///< rbf: of this leaf; else the kernel's
  std::vector<float> landmarks;     ///< m x stride
  /// Where multiplying only the features in which the landmarks differ pays: those, and what all landmarks have in the others
  /// (stride floats, 0 in the listed ones). Else both empty.
  std::vector<std::int32_t> differing;
  std::vector<float> common;
  std::vector<float> panels;        ///< the landmarks for simd::Ops::row_panels: padded(m) columns, multiplied() features
  std::vector<float> norms;         ///< padded(m)
  std::vector<float> between;       ///< triangle: m x padded(p), ||v_t - u_j||
  std::vector<std::int32_t> pairs;  ///< polynomial: 2 for each

  Index width() const { return data::padded(m) + data::padded(p); }
  /// Features that a landmark's inner product multiplies.
  Index multiplied() const { return common.empty() ? d : static_cast<Index>(differing.size()); }
  /// Floats that leaf_features and rbf_sums need for n rows.
  Index room(Index n) const;
};

/// landmarks: m x stride, of d features.
LeafBasis make_basis(std::vector<float> landmarks, Index m, Index d, Index stride, float gamma);
/// Adds p pseudo landmarks: rows of `rows` named by `candidates` (triangle), or pairs of landmarks.
void add_pseudo(PseudoLandmarks kind, Index p, const data::DenseRows& rows, const std::vector<Index>& candidates,
                base::Random& random, LeafBasis& basis);

/// How a model's leaves compute.
struct FeatureKind {
  simd::MapParams<float> map;
  PseudoLandmarks pseudo = PseudoLandmarks::none;
};
FeatureKind feature_kind(const KernelParams& kernel, PseudoLandmarks pseudo);

/// out: n x width() floats, of which padding means nothing but is finite where features are; room: basis.room(n) floats. x[r]:
/// stride floats with |x[r]|^2 = norms[r]. A row's features do not depend on the others.
void leaf_features(const FeatureKind& kind, const LeafBasis& basis, const float* const* x, const float* norms, Index n,
                   float* room, float* out);

/// out[r] = sum_j coef[j] K(x[r], u_j): the sum that features of an rbf kernel without pseudo landmarks go into, without storing
/// them. coef: width() floats. A row's sum does not depend on the others.
void rbf_sums(const LeafBasis& basis, const float* const* x, const float* norms, Index n, const float* coef, float* room,
              float* out);

/// The m + p features of rows, without padding, n x (m + p) row-major.
std::vector<double> feature_matrix(const FeatureKind& kind, const LeafBasis& basis, const data::DenseRows& rows,
                                   const std::vector<Index>* which = nullptr);

}  // namespace dcsvm::dc_pred
