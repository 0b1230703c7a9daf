#include "dc_pred/leaf_features.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dc_pred/pseudo_landmarks.hpp"
#include "kernels/point_set.hpp"

namespace dcsvm::dc_pred {

namespace {

constexpr Index kRows = 16;  // at a time
constexpr float kPowerOfTwo = -1.44269504088896341F;  // exp(-t) = 2^(kPowerOfTwo t)

/// Lists the features in which landmarks differ, if inner products become cheaper by leaving out the others. Each feature left
/// out saves one vector operation for each kLane landmarks; each row pays to collect the listed features and for one product with
/// `common`.
void find_differing(LeafBasis& basis) {
  const Index m = basis.m, d = basis.d, stride = basis.stride;
  std::vector<std::int32_t> differing;
  for (Index k = 0; k < d; ++k) {
    const float first = basis.landmarks[k];
    Index j = 1;
    while (j < m && basis.landmarks[j * stride + k] == first) ++j;
    if (j < m) differing.push_back(static_cast<std::int32_t>(k));
  }
  const auto count = static_cast<Index>(differing.size());
  if (data::padded(m) / data::kLane * (d - count) <= 3 * count + d / 4 + data::kLane) return;
  basis.common.assign(basis.landmarks.begin(), basis.landmarks.begin() + stride);
  for (const std::int32_t k : differing) basis.common[k] = 0.0F;
  basis.differing = std::move(differing);
}

/// Up to kRows rows as the panels want them: all features, or those in which landmarks differ. The other features add the same
/// number to all inner products of a row: `added`.
struct PanelRows {
  const float* x[kRows];
  float added[kRows] = {};

  PanelRows(const LeafBasis& basis, const float* const* rows, Index n, float* room) {
    const auto count = static_cast<Index>(basis.differing.size());
    for (Index r = 0; r < n; ++r) {
      x[r] = rows[r];
      if (basis.common.empty()) continue;
      simd::ops<float>().products(rows[r], basis.common.data(), basis.stride, 1, &added[r]);
      for (Index t = 0; t < count; ++t) room[t] = rows[r][basis.differing[t]];
      x[r] = room;
      room += count;
    }
  }
};

}  // namespace

Index LeafBasis::room(Index n) const { return data::padded(m) + std::min(n, kRows) * multiplied(); }

FeatureKind feature_kind(const KernelParams& kernel, PseudoLandmarks pseudo) {
  return {kernels::map_params<float>(kernel), pseudo};
}

LeafBasis make_basis(std::vector<float> landmarks, Index m, Index d, Index stride, float gamma) {
  LeafBasis basis;
  basis.m = m;
  basis.d = d;
  basis.gamma = gamma;
  basis.stride = stride;
  basis.landmarks = std::move(landmarks);
  basis.norms.assign(data::padded(m), 0.0F);
  if (m > 0) find_differing(basis);
  const Index wide = basis.multiplied();
  basis.panels.assign(data::padded(m) * wide, 0.0F);
  for (Index j = 0; j < m; ++j) {
    const float* u = basis.landmarks.data() + j * stride;
    simd::ops<float>().products(u, u, stride, 1, &basis.norms[j]);
    float* panel = basis.panels.data() + j / data::kLane * data::kLane * wide + j % data::kLane;
    for (Index k = 0; k < wide; ++k) panel[k * data::kLane] = u[basis.common.empty() ? k : Index{basis.differing[k]}];
  }
  basis.exponents = basis.norms;
  for (float& v : basis.exponents) v *= gamma * kPowerOfTwo;
  return basis;
}

void leaf_features(const FeatureKind& kind, const LeafBasis& basis, const float* const* x, const float* norms, Index n,
                   float* room, float* out) {
  const simd::Ops<float>& op = simd::ops<float>();
  const Index m = basis.m, wide = data::padded(m), width = basis.width();
  const bool triangle = kind.pseudo != PseudoLandmarks::polynomial && basis.p > 0;
  simd::MapParams<float> map = kind.map;
  map.gamma = basis.gamma;
  for (Index begin = 0; begin < n; begin += kRows) {
    const Index count = std::min(kRows, n - begin);
    const PanelRows rows(basis, x + begin, count, room + wide);
    op.row_panels(rows.x, count, basis.panels.data(), basis.multiplied(), wide, out, width);
    for (Index r = 0; r < count; ++r, out += width) {
      float norm = norms[begin + r];
      if (map.kind == KernelType::rbf) {
        norm -= 2.0F * rows.added[r];
      } else if (!basis.common.empty()) {
        for (Index j = 0; j < wide; ++j) out[j] += rows.added[r];
      }
      if (triangle) {
        for (Index j = 0; j < m; ++j) {
          const float d2 = norm + basis.norms[j] - 2.0F * out[j];
          room[j] = std::sqrt(d2 > 0.0F ? d2 : 0.0F);
        }
      }
      op.map_row(map, norm, basis.norms.data(), out, wide);
      if (basis.p > 0) pseudo_features(kind.pseudo, basis, out, room, out + wide);
    }
  }
}

void rbf_sums(const LeafBasis& basis, const float* const* x, const float* norms, Index n, const float* coef, float* room,
              float* out) {
  const simd::Ops<float>& op = simd::ops<float>();
  const Index d = basis.multiplied();
  const float scale = basis.gamma * kPowerOfTwo;
  for (Index begin = 0; begin < n; begin += kRows) {
    const Index count = std::min(kRows, n - begin);
    const PanelRows rows(basis, x + begin, count, room);
    float base[kRows];
    const float* scaled[kRows];
    for (Index r = 0; r < count; ++r) {
      base[r] = scale * (norms[begin + r] - 2.0F * rows.added[r]);
      float* to = room + r * d;  // rows.x[r] is here too, if it was collected
      for (Index k = 0; k < d; ++k) to[k] = -2.0F * scale * rows.x[r][k];
      scaled[r] = to;
    }
    op.exp2_sums(scaled, base, count, basis.panels.data(), basis.exponents.data(), coef, d, data::padded(basis.m), out + begin);
    for (Index r = 0; r < count; ++r) {
      if (std::isnan(base[r])) out[begin + r] = base[r];
    }
  }
}

std::vector<double> feature_matrix(const FeatureKind& kind, const LeafBasis& basis, const data::DenseRows& rows,
                                   const std::vector<Index>* which) {
  const Index n = which != nullptr ? static_cast<Index>(which->size()) : rows.n, wide = data::padded(basis.m),
              width = basis.width();
  std::vector<float> room(basis.room(kRows)), block(static_cast<std::size_t>(kRows * width)),
      norms(static_cast<std::size_t>(kRows));
  std::vector<const float*> x(static_cast<std::size_t>(kRows));
  std::vector<double> matrix;
  matrix.reserve(n * (basis.m + basis.p));
  for (Index i = 0; i < n; i += kRows) {
    const Index count = std::min(kRows, n - i);
    for (Index r = 0; r < count; ++r) {
      const Index row = which != nullptr ? (*which)[i + r] : i + r;
      x[r] = rows.row(row);
      norms[r] = rows.norms[row];
    }
    leaf_features(kind, basis, x.data(), norms.data(), count, room.data(), block.data());
    for (auto row = block.begin(); row != block.begin() + count * width; row += width) {
      matrix.insert(matrix.end(), row, row + basis.m);
      matrix.insert(matrix.end(), row + wide, row + wide + basis.p);
    }
  }
  return matrix;
}

}  // namespace dcsvm::dc_pred
