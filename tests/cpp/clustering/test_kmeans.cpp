#include <algorithm>
#include <numeric>

#include "clustering/cluster_sizes.hpp"
#include "clustering/kmeans.hpp"
#include "clustering/many_centres.hpp"
#include "clustering/points.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;
using clustering::KMeansOptions;
using points::Call;

namespace {

clustering::Partition cluster(const DataView& x, const KMeansOptions& options, int threads = 1, std::uint64_t seed = 0,
                              const std::vector<Index>& population = {}) {
  Call call(threads, seed);
  return clustering::kmeans(x, population, options, call.context);
}

KMeansOptions options_of(Index clusters) {
  KMeansOptions o;
  o.clusters = clusters;
  return o;
}

/// Largest amount by which a point's own centre is farther than its nearest, in squared distance.
double worst_assignment(const points::Points& p, const clustering::Partition& part) {
  double worst = 0.0;
  for (Index i = 0; i < p.n; ++i) {
    std::vector<double> d(part.clusters, 0.0);
    for (Index c = 0; c < part.clusters; ++c) {
      for (Index j = 0; j < p.d; ++j) {
        const double e = p.values[i * p.d + j] - part.centres[c * p.d + j];
        d[c] += e * e;
      }
    }
    worst = std::max(worst, d[part.assignment[i]] - *std::min_element(d.begin(), d.end()));
  }
  return worst;
}

struct Csr {
  std::vector<double> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> indptr{0};
  CsrView view(const points::Points& p) const {
    return {values.data(), ScalarType::float64, indices.data(), indptr.data(), IndexType::int32, IndexType::int64, p.n, p.d};
  }
};

Csr sparse_of(const points::Points& p) {
  Csr s;
  for (Index i = 0; i < p.n; ++i) {
    for (Index j = 0; j < p.d; ++j) {
      const double v = p.values[i * p.d + j];
      if (v == 0.0) continue;
      s.values.push_back(v);
      s.indices.push_back(static_cast<std::int32_t>(j));
    }
    s.indptr.push_back(static_cast<std::int64_t>(s.values.size()));
  }
  return s;
}

}  // namespace

TEST_CASE("k-means sends every point to its nearest centre, in any storage") {
  auto p = points::blobs(2000, 7, 12, 1.0, 1);
  for (std::size_t i = 0; i < p.values.size(); i += 3) p.values[i] = 0.0;
  const KMeansOptions options = options_of(9);
  const auto part = cluster(p.view(), options);
  CHECK(std::accumulate(part.sizes.begin(), part.sizes.end(), Index{0}) == p.n);
  CHECK(part.clusters == 9);
  CHECK(worst_assignment(p, part) < 1e-3);

  std::vector<double> columns(p.values.size());
  for (Index i = 0; i < p.n; ++i) {
    for (Index j = 0; j < p.d; ++j) columns[j * p.n + i] = p.values[i * p.d + j];
  }
  const DenseView fortran{columns.data(), ScalarType::float64, p.n, p.d, 1, p.n};
  CHECK(cluster(fortran, options).assignment == part.assignment);
  const auto csr = sparse_of(p);
  const auto sparse = cluster(csr.view(p), options);
  CHECK(worst_assignment(p, sparse) < 1e-2);
  CHECK(sparse.clusters == 9);
}

TEST_CASE("k-means finds well separated blobs, also far from the origin") {
  auto p = points::blobs(900, 4, 5, 0.1, 3);
  for (double& v : p.values) v += 1e5;
  const auto part = cluster(p.view(), options_of(5));
  CHECK(part.clusters == 5);
  CHECK(points::same_partition(part.assignment, p.blob));
}

TEST_CASE("k-means depends on the seed and not on the threads") {
  const auto p = points::blobs(5000, 6, 30, 2.0, 4);
  const auto a = cluster(p.view(), options_of(25), 1, 3);
  for (const int threads : {2, 5}) {
    const auto b = cluster(p.view(), options_of(25), threads, 3);
    CHECK(a.assignment == b.assignment);
    CHECK(a.centres == b.centres);
  }
  CHECK(a.centres != cluster(p.view(), options_of(25), 1, 4).centres);
}

TEST_CASE("k-means on degenerate inputs") {
  SUBCASE("duplicates") {
    const auto p = points::blobs(400, 3, 4, 0.0, 2);
    const auto part = cluster(p.view(), options_of(16));
    CHECK(part.clusters == 4);
    CHECK(points::same_partition(part.assignment, p.blob));
  }
  SUBCASE("constant features") {
    auto p = points::blobs(100, 3, 4, 1.0, 2);
    std::fill(p.values.begin(), p.values.end(), 7.0);
    CHECK(cluster(p.view(), options_of(4)).clusters == 1);
  }
  SUBCASE("more clusters than points") {
    const auto p = points::blobs(6, 3, 6, 1.0, 2);
    const auto part = cluster(p.view(), options_of(50));
    CHECK(part.clusters <= 6);
    CHECK(std::count(part.sizes.begin(), part.sizes.end(), 0) == 0);
  }
  SUBCASE("no clusters") {
    const auto p = points::blobs(6, 3, 6, 1.0, 2);
    CHECK_THROWS_AS(cluster(p.view(), options_of(0)), ParameterError);
  }
}

TEST_CASE("balanced k-means has no larger sum of squared sizes than plain") {
  // One dense blob of 90 % of the points beside scattered ones.
  auto p = points::blobs(3000, 4, 40, 0.1, 6);
  base::Random random(1);
  for (Index i = 0; i < p.n; ++i) {
    if (i % 10 == 0) continue;
    for (Index j = 0; j < p.d; ++j) p.values[i * p.d + j] = random.uniform();
  }
  KMeansOptions options = options_of(32);
  options.balance = false;
  const auto plain = cluster(p.view(), options);
  options.balance = true;
  const auto balanced = cluster(p.view(), options);
  const auto largest = [](const clustering::Partition& part) { return *std::max_element(part.sizes.begin(), part.sizes.end()); };
  CHECK(largest(plain) > clustering::balance_bound(p.n, 32));
  CHECK(largest(balanced) < largest(plain));
  CHECK(largest(balanced) <= clustering::balance_bound(p.n, 32));
  CHECK(worst_assignment(p, balanced) < 1e-3);
}

TEST_CASE("kmeans: wide sparse data cluster as the same data without the empty columns between") {
  const points::Points p = points::blobs(600, 4, 4, 0.5, 21);
  const Csr narrow = sparse_of(p);
  Csr wide = narrow;
  constexpr std::int32_t kStep = 500000000;
  for (auto& column : wide.indices) column *= kStep;
  CsrView x = wide.view(p);
  x.cols = 2147483647;
  const auto expected = cluster(narrow.view(p), options_of(4)), part = cluster(x, options_of(4), 2);
  CHECK(part.assignment == expected.assignment);
  CHECK(part.centres == expected.centres);
  CHECK(part.cols == x.cols);
  CHECK(part.columns == std::vector<std::int32_t>{0, kStep, 2 * kStep, 3 * kStep});
  CHECK_THROWS_AS(part.dense_centres(), ParameterError);
  CHECK(expected.dense_centres() == expected.centres);
  clustering::Partition some = part;
  some.cols = 20001, some.columns = {1, 5, 7, 20000};
  const auto all = some.dense_centres();
  for (Index c = 0; c < some.clusters; ++c) {
    for (Index j = 0; j < 4; ++j) CHECK(all[c * some.cols + some.columns[j]] == some.centres[c * 4 + j]);
  }

  Call narrow_call(1, 3), wide_call(2, 3);
  std::vector<Index> sample(300);
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = static_cast<Index>(2 * i);
  CHECK(clustering::spread_rows(x, sample, 9, wide_call.context) ==
        clustering::spread_rows(narrow.view(p), sample, 9, narrow_call.context));
}
