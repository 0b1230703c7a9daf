#include "clustering/weighted_kmeans.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "clustering/centres.hpp"
#include "simd/ops.hpp"

namespace dcsvm::clustering {

namespace {

double squared_distance(const data::DenseRows& rows, Index i, const float* centre) {
  double sum = 0;
  for (Index k = 0; k < rows.d; ++k)
    sum += (double{rows.row(i)[k]} - double{centre[k]}) * (double{rows.row(i)[k]} - double{centre[k]});
  return sum;
}

std::vector<float> seeds(const data::DenseRows& rows, const std::vector<double>& weight, Index k, base::Random& random) {
  std::vector<float> centres;
  std::vector<double> nearest(rows.n, std::numeric_limits<double>::infinity()), chance = weight;
  for (Index c = 0; c < k; ++c) {
    const double total = std::accumulate(chance.begin(), chance.end(), 0.0);
    if (!(total > 0)) break;
    const float* row = rows.row(draw_by_weight(chance, total, random));
    centres.insert(centres.end(), row, row + rows.stride);
    for (Index i = 0; i < rows.n; ++i) {
      if (!(weight[i] > 0)) continue;
      nearest[i] = std::min(nearest[i], squared_distance(rows, i, row));
      chance[i] = weight[i] * nearest[i];
    }
  }
  return centres;
}

}  // namespace

std::vector<float> weighted_kmeans(const data::DenseRows& rows, const std::vector<double>& weight, Index k, int max_iterations,
                                   base::Random& random) {
  std::vector<float> centres = seeds(rows, weight, k, random);
  const Index found = static_cast<Index>(centres.size()) / rows.stride;
  if (found == 0) return centres;
  std::vector<Index> member(rows.n, -1);
  std::vector<float> products(found), norms(static_cast<std::size_t>(found));
  for (int round = 0; round < max_iterations; ++round) {
    bool moved = false;
    std::vector<double> sums(found * rows.d, 0.0), mass(static_cast<std::size_t>(found), 0.0);
    for (Index c = 0; c < found; ++c) {
      const float* u = centres.data() + c * rows.stride;
      simd::ops<float>().products(u, u, rows.stride, 1, &norms[c]);
    }
    for (Index i = 0; i < rows.n; ++i) {
      if (!(weight[i] > 0)) continue;
      simd::ops<float>().products(rows.row(i), centres.data(), rows.stride, found, products.data());
      Index best = 0;
      for (Index c = 1; c < found; ++c) {
        if (norms[c] - 2 * products[c] < norms[best] - 2 * products[best]) best = c;
      }
      moved = moved || member[i] != best;
      member[i] = best;
      mass[best] += weight[i];
      for (Index f = 0; f < rows.d; ++f) sums[best * rows.d + f] += weight[i] * double{rows.row(i)[f]};
    }
    if (!moved) break;
    for (Index c = 0; c < found; ++c) {
      if (mass[c] == 0) continue;
      for (Index f = 0; f < rows.d; ++f) centres[c * rows.stride + f] = static_cast<float>(sums[c * rows.d + f] / mass[c]);
    }
  }
  return centres;
}

}  // namespace dcsvm::clustering
