#include "approx/leaf_features.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/point_set.hpp"

namespace dcsvm::approx {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

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
  basis.norms.assign(at(padded(m)), 0.0F);
  basis.panels.assign(at(padded(m) * d), 0.0F);
  for (Index j = 0; j < m; ++j) {
    const float* u = basis.landmarks.data() + j * stride;
    simd::ops<float>().products(u, u, stride, 1, &basis.norms[at(j)]);
    float* panel = basis.panels.data() + j / kLane * kLane * d + j % kLane;
    for (Index k = 0; k < d; ++k) panel[k * kLane] = u[k];
  }
  return basis;
}

void add_pseudo(PseudoLandmarks kind, Index p, const DenseRows& rows, const std::vector<Index>& candidates, base::Random& random,
                LeafBasis& basis) {
  if (kind == PseudoLandmarks::none || p == 0 || basis.m == 0) return;
  if (kind == PseudoLandmarks::polynomial) {
    std::vector<Index> all(at(basis.m * (basis.m + 1) / 2));
    for (std::size_t q = 0; q < all.size(); ++q) all[q] = static_cast<Index>(q);
    const std::vector<Index> chosen = base::sample(all, p, random);
    std::size_t next = 0;
    Index q = 0;
    for (Index i = 0; i < basis.m; ++i) {
      for (Index j = i; j < basis.m; ++j, ++q) {
        if (next == chosen.size() || chosen[next] != q) continue;
        ++next;
        basis.pairs.insert(basis.pairs.end(), {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
      }
    }
    basis.p = static_cast<Index>(chosen.size());
    return;
  }
  const std::vector<Index> chosen = base::sample(candidates, p, random);
  basis.p = static_cast<Index>(chosen.size());
  const Index width = padded(basis.p);
  basis.between.assign(at(basis.m * width), 0.0F);
  for (Index t = 0; t < basis.p; ++t) {
    for (Index j = 0; j < basis.m; ++j) {
      const float *v = rows.row(chosen[at(t)]), *u = basis.landmarks.data() + j * basis.stride;
      double sum = 0;
      for (Index k = 0; k < rows.d; ++k) sum += (double{v[k]} - double{u[k]}) * (double{v[k]} - double{u[k]});
      basis.between[at(j * width + t)] = static_cast<float>(std::sqrt(sum));
    }
  }
}

void leaf_features(const FeatureKind& kind, const LeafBasis& basis, const float* const* x, const float* norms, Index n,
                   float* room, float* out) {
  const simd::Ops<float>& op = simd::ops<float>();
  const Index m = basis.m, wide = padded(m), width = basis.width();
  op.row_panels(x, n, basis.panels.data(), basis.d, wide, out, width);
  const bool triangle = kind.pseudo != PseudoLandmarks::polynomial && basis.p > 0;
  simd::MapParams<float> map = kind.map;
  map.gamma = basis.gamma;
  for (Index r = 0; r < n; ++r, out += width) {
    if (triangle) {
      for (Index j = 0; j < m; ++j) {
        const float d2 = norms[r] + basis.norms[at(j)] - 2.0F * out[j];
        room[j] = std::sqrt(d2 > 0.0F ? d2 : 0.0F);
      }
    }
    op.map_row(map, norms[r], basis.norms.data(), out, wide);
    if (basis.p == 0) continue;
    float* pseudo = out + wide;
    if (triangle) {
      op.triangle(room, basis.between.data(), m, padded(basis.p), map.gamma, kind.pseudo == PseudoLandmarks::triangle_upper,
                  pseudo);
      continue;
    }
    const std::int32_t* pair = basis.pairs.data();
    for (Index q = 0; q < basis.p; ++q, pair += 2) pseudo[q] = out[pair[0]] * out[pair[1]];
    std::fill(pseudo + basis.p, pseudo + padded(basis.p), 0.0F);
  }
}

std::vector<double> feature_matrix(const FeatureKind& kind, const LeafBasis& basis, const DenseRows& rows,
                                   const std::vector<Index>* which) {
  constexpr Index kRows = 16;  // at a time
  const Index n = which != nullptr ? static_cast<Index>(which->size()) : rows.n, wide = padded(basis.m), width = basis.width();
  std::vector<float> room(at(wide)), block(at(kRows * width)), norms(at(kRows));
  std::vector<const float*> x(at(kRows));
  std::vector<double> matrix;
  matrix.reserve(at(n * (basis.m + basis.p)));
  for (Index i = 0; i < n; i += kRows) {
    const Index count = std::min(kRows, n - i);
    for (Index r = 0; r < count; ++r) {
      const Index row = which != nullptr ? (*which)[at(i + r)] : i + r;
      x[at(r)] = rows.row(row);
      norms[at(r)] = rows.norms[row];
    }
    leaf_features(kind, basis, x.data(), norms.data(), count, room.data(), block.data());
    for (auto row = block.begin(); row != block.begin() + count * width; row += width) {
      matrix.insert(matrix.end(), row, row + basis.m);
      matrix.insert(matrix.end(), row + wide, row + wide + basis.p);
    }
  }
  return matrix;
}

}  // namespace dcsvm::approx
