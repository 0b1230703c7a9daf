#include "approx/weighted_kmeans.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "clustering/centres.hpp"
#include "simd/ops.hpp"

namespace dcsvm::approx {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double squared_distance(const DenseRows& rows, Index i, const float* centre) {
  double sum = 0;
  for (Index k = 0; k < rows.d; ++k)
    sum += (double{rows.row(i)[k]} - double{centre[k]}) * (double{rows.row(i)[k]} - double{centre[k]});
  return sum;
}

std::vector<float> seeds(const DenseRows& rows, const std::vector<double>& weight, Index k, base::Random& random) {
  std::vector<float> centres;
  std::vector<double> nearest(at(rows.n), std::numeric_limits<double>::infinity()), chance = weight;
  for (Index c = 0; c < k; ++c) {
    const double total = std::accumulate(chance.begin(), chance.end(), 0.0);
    if (!(total > 0)) break;
    const float* row = rows.row(clustering::draw_by_weight(chance, total, random));
    centres.insert(centres.end(), row, row + rows.stride);
    for (Index i = 0; i < rows.n; ++i) {
      if (weight[at(i)] == 0) continue;
      nearest[at(i)] = std::min(nearest[at(i)], squared_distance(rows, i, row));
      chance[at(i)] = weight[at(i)] * nearest[at(i)];
    }
  }
  return centres;
}

}  // namespace

std::vector<float> weighted_kmeans(const DenseRows& rows, const std::vector<double>& weight, Index k, int max_iterations,
                                   base::Random& random) {
  std::vector<float> centres = seeds(rows, weight, k, random);
  const Index found = static_cast<Index>(centres.size()) / rows.stride;
  std::vector<Index> member(at(rows.n), -1);
  std::vector<float> products(at(found)), norms(at(found));
  for (int round = 0; round < max_iterations; ++round) {
    bool moved = false;
    std::vector<double> sums(at(found * rows.d), 0.0), mass(at(found), 0.0);
    for (Index c = 0; c < found; ++c) {
      const float* u = centres.data() + c * rows.stride;
      simd::ops<float>().products(u, u, rows.stride, 1, &norms[at(c)]);
    }
    for (Index i = 0; i < rows.n; ++i) {
      if (weight[at(i)] == 0) continue;
      simd::ops<float>().products(rows.row(i), centres.data(), rows.stride, found, products.data());
      Index best = 0;
      for (Index c = 1; c < found; ++c) {
        if (norms[at(c)] - 2 * products[at(c)] < norms[at(best)] - 2 * products[at(best)]) best = c;
      }
      moved = moved || member[at(i)] != best;
      member[at(i)] = best;
      mass[at(best)] += weight[at(i)];
      for (Index f = 0; f < rows.d; ++f) sums[at(best * rows.d + f)] += weight[at(i)] * double{rows.row(i)[f]};
    }
    if (!moved) break;
    for (Index c = 0; c < found; ++c) {
      if (mass[at(c)] == 0) continue;
      for (Index f = 0; f < rows.d; ++f)
        centres[at(c * rows.stride + f)] = static_cast<float>(sums[at(c * rows.d + f)] / mass[at(c)]);
    }
  }
  return centres;
}

}  // namespace dcsvm::approx
