// The features of a leaf, which its coefficients multiply: kernel values at landmarks, then pseudo features made from those
// (Hsieh, Si, Dhillon 2014, Section 4).
#pragma once

#include <cstdint>
#include <vector>

#include "data/dense_rows.hpp"
#include "dcsvm/dc_pred.hpp"
#include "simd/ops.hpp"

namespace dcsvm::dc_pred {

/// A leaf's landmarks. Features come as m numbers, padding, p numbers, padding.
struct LeafBasis {
  Index m = 0, p = 0, d = 0, stride = 0;
  float gamma = 1;                  ///< rbf: of this leaf; else the kernel's
  std::vector<float> landmarks;     ///< m x stride
  /// If inner products over the features in which landmarks differ are cheaper: those features, and in `common` (stride floats)
  /// what all landmarks have in the others. Else both are empty.
  std::vector<std::int32_t> differing;
  std::vector<float> common;
  std::vector<float> panels;  ///< the landmarks for simd::Ops::row_panels: padded(m) columns, multiplied() features
  std::vector<float> norms;  ///< padded(m)
  std::vector<float> exponents;  ///< rbf: padded(m), exp(-gamma norms[j]) = 2^exponents[j]
  std::vector<float> between;  ///< triangle: m x padded(p), ||v_t - u_j||
  std::vector<std::int32_t> pairs;  ///< polynomial: 2 for each

  Index width() const { return data::padded(m) + data::padded(p); }
  /// Features that a landmark's inner product multiplies.
  Index multiplied() const { return common.empty() ? d : static_cast<Index>(differing.size()); }
  /// Floats that leaf_features and rbf_sums need for n rows.
  Index room(Index n) const;
};

/// landmarks: m x stride, of d features.
LeafBasis make_basis(std::vector<float> landmarks, Index m, Index d, Index stride, float gamma);

/// Which features the leaves of a model have.
struct FeatureKind {
  simd::MapParams<float> map;
  PseudoLandmarks pseudo = PseudoLandmarks::none;
};
FeatureKind feature_kind(const KernelParams& kernel, PseudoLandmarks pseudo);

/// out: n x width() floats; padding is undefined, but finite where features are; room: basis.room(n) floats. x[r]:
/// stride floats with |x[r]|^2 = norms[r]. A row's features do not depend on the others.
void leaf_features(const FeatureKind& kind, const LeafBasis& basis, const float* const* x, const float* norms, Index n,
                   float* room, float* out);

/// out[r] = sum_j coef[j] K(x[r], u_j) for the rbf kernel without pseudo landmarks; stores no features. coef: width() floats. A
/// row's sum does not depend on the others.
void rbf_sums(const LeafBasis& basis, const float* const* x, const float* norms, Index n, const float* coef, float* room,
              float* out);

/// The m + p features of rows, without padding, n x (m + p) row-major.
std::vector<double> feature_matrix(const FeatureKind& kind, const LeafBasis& basis, const data::DenseRows& rows,
                                   const std::vector<Index>* which = nullptr);

}  // namespace dcsvm::dc_pred
