#include "low_rank/nystrom_map.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "clustering/points.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

/// exp(-gamma |x - y|^2) of all pairs.
base::Buffer<double> rbf_matrix(const points::Points& p, double gamma) {
  base::Buffer<double> k(p.n * p.n);
  for (Index i = 0; i < p.n; ++i) {
    for (Index j = 0; j < p.n; ++j) {
      double d2 = 0;
      for (Index c = 0; c < p.d; ++c) d2 += std::pow(p.values[i * p.d + c] - p.values[j * p.d + c], 2);
      k[i * p.n + j] = std::exp(-gamma * d2);
    }
  }
  return k;
}

base::Buffer<double> copy_of(const base::Buffer<double>& k) {
  base::Buffer<double> c(k.size());
  std::copy_n(k.data(), k.size(), c.data());
  return c;
}

/// Largest |K M M' K - K|: K_rz K_zz^+ K_zr for r = z must give K back.
double worst_reconstruction(const base::Buffer<double>& k, Index n, const low_rank::NystromMap& map) {
  std::vector<double> f(n * map.cols, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index r = 0; r < map.rows(); ++r) {
      for (Index j = 0; j < map.cols; ++j) f[i * map.cols + j] += k[i * n + map.used[r]] * map.values[r * map.cols + j];
    }
  }
  double worst = 0;
  for (Index a = 0; a < n; ++a) {
    for (Index b = 0; b < n; ++b) {
      double sum = 0;
      for (Index j = 0; j < map.cols; ++j) sum += f[a * map.cols + j] * f[b * map.cols + j];
      worst = std::max(worst, std::abs(sum - k[a * n + b]));
    }
  }
  return worst;
}

std::vector<double> reciprocal(std::vector<double> values) {
  for (double& v : values) v = 1.0 / v;
  return values;
}

}  // namespace

TEST_CASE("cholesky_map and the paper's U Lambda^(-1/2) give the same inner products") {
  const auto p = points::blobs(170, 5, 6, 1.5, 1);
  const auto k = rbf_matrix(p, 0.2);
  base::ThreadPool pool(2);
  auto factor = copy_of(k);
  const auto cholesky = low_rank::cholesky_map(factor, p.n, pool);
  const auto spectrum = low_rank::spectrum_of(k, p.n, pool);
  const auto eigen = low_rank::spectral_map(spectrum, reciprocal(spectrum.values));
  CHECK(cholesky.cols == cholesky.rows());
  CHECK(worst_reconstruction(k, p.n, cholesky) < 1e-5);
  CHECK(worst_reconstruction(k, p.n, eigen) < 1e-5);
  for (Index i = 0; i < cholesky.rows(); ++i) {
    for (Index j = 0; j < i; ++j) CHECK(cholesky.values[i * cholesky.cols + j] == 0.0);  // triangular: half the product
  }
}

TEST_CASE("duplicate landmarks lower the rank and nothing else") {
  auto p = points::blobs(90, 3, 4, 1.0, 2);
  for (Index i = 60; i < 90; ++i) std::copy_n(p.values.begin() + (i - 60) * 3, 3, p.values.begin() + i * 3);
  const auto k = rbf_matrix(p, 1.0);
  base::ThreadPool pool(1);
  auto factor = copy_of(k);
  const auto map = low_rank::cholesky_map(factor, p.n, pool);
  CHECK(map.cols <= 60);
  CHECK(worst_reconstruction(k, p.n, map) < 1e-5);
  const auto spectrum = low_rank::spectrum_of(k, p.n, pool);
  CHECK(spectrum.values.size() <= 60);
  CHECK(spectrum.negative_share < 1e-12);
}

TEST_CASE("the map does not depend on the number of threads") {
  const auto p = points::blobs(150, 4, 3, 1.0, 3);
  const auto k = rbf_matrix(p, 0.5);
  base::ThreadPool one(1), three(3);
  auto a = copy_of(k), b = copy_of(k);
  CHECK(low_rank::cholesky_map(a, p.n, one).values == low_rank::cholesky_map(b, p.n, three).values);
}

TEST_CASE("a matrix that is not positive semi-definite gives no Cholesky map; its spectrum is cut") {
  base::Buffer<double> k(9);
  const double values[] = {1, 2, 0, 2, 1, 0, 0, 0, 3};  // eigenvalues 3, 3, -1
  std::copy_n(values, 9, k.data());
  base::ThreadPool pool(1);
  auto factor = copy_of(k);
  CHECK(low_rank::cholesky_map(factor, 3, pool).cols == 0);
  const auto spectrum = low_rank::spectrum_of(k, 3, pool);
  REQUIRE(spectrum.values.size() == 2);
  CHECK(spectrum.values[0] == doctest::Approx(3));
  CHECK(spectrum.values[1] == doctest::Approx(3));
  CHECK(spectrum.negative_share == doctest::Approx(1.0 / 7));
}

TEST_CASE("spectral_map leaves out features of weight 0") {
  const auto p = points::blobs(20, 2, 2, 1.0, 4);
  const auto k = rbf_matrix(p, 1.0);
  const base::ThreadPool pool(1);
  const auto spectrum = low_rank::spectrum_of(k, p.n, pool);
  auto mu = reciprocal(spectrum.values);
  mu[1] = 0;
  const auto map = low_rank::spectral_map(spectrum, mu);
  CHECK(map.cols == static_cast<Index>(spectrum.values.size()) - 1);
  CHECK(map.rows() == 20);
}
