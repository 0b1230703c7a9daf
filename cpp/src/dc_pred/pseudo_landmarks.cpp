#include "dc_pred/pseudo_landmarks.hpp"

#include <algorithm>
#include <cmath>

#include "base/vectors.hpp"

namespace dcsvm::dc_pred {

namespace {

void add_pairs(Index p, base::Random& random, LeafBasis& basis) {
  const std::vector<Index> chosen = base::sample(base::index_range(basis.m * (basis.m + 1) / 2), p, random);
  auto next = chosen.begin();
  Index pair = 0;
  for (Index i = 0; i < basis.m; ++i) {
    for (Index j = i; j < basis.m; ++j, ++pair) {
      if (next == chosen.end() || *next != pair) continue;
      ++next;
      basis.pairs.insert(basis.pairs.end(), {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
    }
  }
  basis.p = static_cast<Index>(chosen.size());
}

float distance(const float* v, const float* u, Index d) {
  double sum = 0;
  for (Index k = 0; k < d; ++k) sum += (double{v[k]} - double{u[k]}) * (double{v[k]} - double{u[k]});
  return static_cast<float>(std::sqrt(sum));
}

void add_points(const std::vector<Index>& chosen, const data::DenseRows& rows, LeafBasis& basis) {
  basis.p = static_cast<Index>(chosen.size());
  const Index width = data::padded(basis.p);
  basis.between.assign(basis.m * width, 0.0F);
  for (Index t = 0; t < basis.p; ++t) {
    for (Index j = 0; j < basis.m; ++j)
      basis.between[j * width + t] = distance(rows.row(chosen[t]), basis.landmarks.data() + j * basis.stride, rows.d);
  }
}

}  // namespace

void add_pseudo(PseudoLandmarks kind, Index p, const data::DenseRows& rows, const std::vector<Index>& candidates,
                base::Random& random, LeafBasis& basis) {
  if (p == 0 || basis.m == 0) return;
  switch (kind) {
    case PseudoLandmarks::none: break;
    case PseudoLandmarks::polynomial: add_pairs(p, random, basis); break;
    case PseudoLandmarks::triangle_lower:
    case PseudoLandmarks::triangle_upper: add_points(base::sample(candidates, p, random), rows, basis); break;
  }
}

void pseudo_features(PseudoLandmarks kind, const LeafBasis& basis, const float* values, const float* distances, float* out) {
  if (kind != PseudoLandmarks::polynomial) {
    const bool upper = kind == PseudoLandmarks::triangle_upper;
    simd::ops<float>().triangle(distances, basis.between.data(), basis.m, data::padded(basis.p), basis.gamma, upper, out);
    return;
  }
  const std::int32_t* pair = basis.pairs.data();
  for (Index q = 0; q < basis.p; ++q, pair += 2) out[q] = values[pair[0]] * values[pair[1]];
  std::fill(out + basis.p, out + data::padded(basis.p), 0.0F);
}

}  // namespace dcsvm::dc_pred
