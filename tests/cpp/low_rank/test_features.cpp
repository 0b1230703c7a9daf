#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "clustering/many_centres.hpp"
#include "clustering/points.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/low_rank.hpp"
#include "doctest/doctest.h"
#include "low_rank/feature_map.hpp"
#include "low_rank/solver.hpp"

using namespace dcsvm;
using points::Call;

namespace {

double rbf(const points::Points& p, Index i, Index j, double gamma) {
  double d2 = 0;
  for (Index c = 0; c < p.d; ++c) d2 += std::pow(p.values[i * p.d + c] - p.values[j * p.d + c], 2);
  return std::exp(-gamma * d2);
}

/// Mean |f_i'f_j - K_ij|.
double mean_error(const points::Points& p, const low_rank::FeatureMap& map, double gamma) {
  const Index d = map.cols();
  std::vector<float> f(p.n * d);
  map.block(p.view(), 0, p.n, f.data(), d);
  double sum = 0;
  for (Index i = 0; i < p.n; ++i) {
    for (Index j = 0; j < p.n; ++j) {
      double inner = 0;
      for (Index c = 0; c < d; ++c) inner += static_cast<double>(f[i * d + c]) * static_cast<double>(f[j * d + c]);
      sum += std::abs(inner - rbf(p, i, j, gamma));
    }
  }
  return sum / static_cast<double>(p.n * p.n);
}

/// All rows as landmarks.
std::unique_ptr<low_rank::FeatureMap> exact_map(const points::Points& p, double gamma, base::ThreadPool& pool) {
  base::Buffer<double> k(p.n * p.n);
  for (Index i = 0; i < p.n; ++i) {
    for (Index j = 0; j < p.n; ++j) k[i * p.n + j] = rbf(p, i, j, gamma);
  }
  KernelParams kernel;
  kernel.gamma = gamma;
  const auto map = low_rank::cholesky_map(k, p.n, pool);
  return low_rank::make_nystrom_features(p.view(), kernel, map, pool);
}

}  // namespace

TEST_CASE("features: inner products are the kernel with all rows as landmarks, and nearly with random directions") {
  const auto p = points::blobs(150, 6, 5, 2.0, 1);
  const double gamma = 0.05;
  base::ThreadPool pool(1);
  CHECK(mean_error(p, *exact_map(p, gamma, pool), gamma) < 1e-4);
  // The error of D Fourier features has standard deviation about 1 / sqrt(2 D).
  const double expected = 1.0 / std::sqrt(2.0 * 4000);
  CHECK(mean_error(p, *low_rank::make_fourier_features(low_rank::random_kitchen_sinks(4000, 6, gamma, 3)), gamma) <
        1.5 * expected);
  CHECK(mean_error(p, *low_rank::make_fourier_features(low_rank::fastfood(4000, 6, gamma, 3)), gamma) < 1.5 * expected);
}

TEST_CASE("fastfood: rows have the lengths of Gaussian rows") {
  const auto d = low_rank::fastfood(2048, 37, 0.5, 4);
  double sum = 0;
  for (const float w : d.weights) sum += static_cast<double>(w) * static_cast<double>(w);
  CHECK(sum / static_cast<double>(d.weights.size()) == doctest::Approx(2 * 0.5).epsilon(0.05));  // variance 2 gamma
  CHECK(*std::max_element(d.phases.begin(), d.phases.end()) < 6.2832);
}

TEST_CASE("spread_rows and many_centres: distinct rows, as many as there are; nearer than a uniform draw") {
  auto p = points::blobs(600, 4, 30, 0.2, 6);
  Call call(2, 7);
  std::vector<Index> all;
  for (Index i = 0; i < p.n; ++i) all.push_back(i);
  const auto rows = clustering::spread_rows(p.view(), all, 100, call.context);
  CHECK(rows.size() == 100);
  auto sorted = rows;
  std::sort(sorted.begin(), sorted.end());
  CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
  const auto inertia = [&](const std::vector<double>& centres) {
    double sum = 0;
    for (Index i = 0; i < p.n; ++i) {
      double best = 1e300;
      for (std::size_t c = 0; c < centres.size() / 4; ++c) {
        double d2 = 0;
        for (Index j = 0; j < 4; ++j) d2 += std::pow(p.values[i * 4 + j] - centres[c * 4 + static_cast<std::size_t>(j)], 2);
        best = std::min(best, d2);
      }
      sum += best;
    }
    return sum;
  };
  const auto centres = clustering::many_centres(p.view(), all, 60, 5, call.context);
  CHECK(centres.size() <= 240);
  std::vector<double> first(p.values.begin(), p.values.begin() + 240);  // rows come in random order
  CHECK(inertia(centres) < 0.7 * inertia(first));
  for (Index i = 20; i < p.n; ++i) std::copy_n(p.values.begin() + i % 20 * 4, 4, p.values.begin() + i * 4);
  CHECK(clustering::spread_rows(p.view(), all, 100, call.context).size() == 20);
}

TEST_CASE("LowRankSolver: in blocks it comes to the objective that it has in memory") {
  const auto p = points::blobs(1500, 4, 12, 1.0, 8);
  std::vector<int> y;
  for (const int b : p.blob) y.push_back(b % 2);
  const std::vector<double> C(p.n, 5.0);
  base::ThreadPool pool(2);
  const auto q = points::blobs(80, 4, 12, 1.0, 8);
  const auto map = exact_map(q, 0.3, pool);
  const data::RowsInMemory source(p.view());
  low_rank::LinearOptions o;
  o.tol = 1e-2;
  const auto solve = [&](std::size_t cap, int passes, low_rank::BlockState& state) {
    low_rank::LowRankSolver solver(source, *map, cap, pool, nullptr);
    state.problems = {{{0, 1}, std::vector<double>(map->cols() + 1, 0.0), std::vector<double>(p.n, 0.0)}};
    return solver.solve({y.data(), C.data()}, o, passes, state);
  };
  low_rank::BlockState whole, parts;
  const auto full = solve(std::size_t{1} << 30, 1, whole);
  CHECK(full.units == 1);
  CHECK(full.violation <= o.tol);
  const std::size_t cap = map->bytes() + 2 * map->bytes_per_thread() + 600 * 80 * 4;
  const auto some = solve(cap, 60, parts);
  CHECK(some.units >= 3);
  CHECK(some.peak_bytes <= 600 * 80 * 4);
  CHECK(some.violation <= o.tol);
  const double best = low_rank::dual_objective({y.data(), C.data()}, o, whole.problems[0]);
  CHECK(low_rank::dual_objective({y.data(), C.data()}, o, parts.problems[0]) == doctest::Approx(best).epsilon(1e-4));
  CHECK_THROWS_AS(solve(map->bytes(), 1, parts), CapError);
}

TEST_CASE("LowRankSolver: weigh asks the host while it adds many rows") {
  const auto p = points::blobs(3000, 4, 12, 1.0, 8);
  std::vector<int> y;
  for (const int b : p.blob) y.push_back(b % 2);
  const std::vector<double> C(p.n, 5.0);
  int polls = 0;
  base::ThreadPool pool(1, [&] { ++polls; });
  const auto map = exact_map(points::blobs(20, 4, 12, 1.0, 8), 0.3, pool);
  const data::RowsInMemory source(p.view());
  low_rank::LowRankSolver solver(source, *map, std::size_t{1} << 30, pool, nullptr);
  low_rank::BinaryState state{{0, 1}, std::vector<double>(map->cols() + 1, 0.0), std::vector<double>(p.n, 1.0)};
  solver.weigh({y.data(), C.data()}, state);  // also computes the features
  polls = 0;
  solver.weigh({y.data(), C.data()}, state);
  CHECK(polls >= 3000 / 256);
}

TEST_CASE("random features: directions that exceed the cap are refused before they are drawn") {
  const std::vector<double> values{1, 2, 3}, y{0, 1, 0};
  const std::vector<std::int32_t> indices{0, 7, 2147483645};
  const std::vector<std::int64_t> indptr{0, 1, 2, 3};
  const CsrView x{values.data(), ScalarType::float64, indices.data(), indptr.data(), IndexType::int32, IndexType::int64, 3,
                  2147483646};
  LowRankParams params;
  params.kernel.gamma = 1.0;
  params.features = LowRankFeatures::rks;
  params.n_landmarks = 2;
  std::string what;
  try {
    train_low_rank(x, y.data(), params);
  } catch (const CapError& e) {
    what = e.what();
  }
  CHECK(what.find("must hold n_landmarks random directions of 2147483646 columns: at least 16384 MB") != std::string::npos);
}
