#include <algorithm>
#include <numeric>
#include <set>

#include "base/vectors.hpp"
#include "clustering/centre_search.hpp"
#include "clustering/cluster_sizes.hpp"
#include "clustering/clustering_kernel.hpp"
#include "clustering/kernel_kmeans.hpp"
#include "clustering/kernel_lloyd.hpp"
#include "clustering/points.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"

using namespace dcsvm;
using clustering::KernelKMeansOptions;
using clustering::KernelPartition;
using points::Call;

namespace {

KernelParams rbf(double gamma) {
  KernelParams k;
  k.gamma = gamma;
  return k;
}

template <class T = float>
KernelPartition cluster(const points::Points& p, const KernelParams& kernel, const KernelKMeansOptions& options, Call& call,
                        const std::vector<Index>& population = {}) {
  const auto rows = kernel_matrix::make_kernel_rows<T>(p.view(), kernel, call.pool);
  return clustering::kernel_kmeans(*rows, population, options, call.context);
}

/// ||phi(x) - mu_c||^2 written out.
double distance(const std::vector<double>& k, Index n, Index x, const Index* member, Index w) {
  double cross = 0.0, inside = 0.0;
  for (Index a = 0; a < w; ++a) {
    cross += k[x * n + member[a]];
    for (Index b = 0; b < w; ++b) inside += k[member[a] * n + member[b]];
  }
  return k[x * n + x] - 2.0 * cross / static_cast<double>(w) + inside / static_cast<double>(w * w);
}

void check_consistent(const KernelPartition& part, Index n) {
  REQUIRE(static_cast<Index>(part.assignment.size()) == n);
  CHECK(std::accumulate(part.sizes.begin(), part.sizes.end(), Index{0}) == n);
  REQUIRE(static_cast<Index>(part.sizes.size()) == part.clusters);
  REQUIRE(static_cast<Index>(part.first.size()) == part.clusters + 1);
  REQUIRE(static_cast<Index>(part.constant.size()) == part.clusters);
  CHECK(part.first.back() == static_cast<Index>(part.sample.size()));
  for (Index c = 0; c < part.clusters; ++c) {
    CHECK(part.sizes[c] > 0);
    CHECK(part.first[c] < part.first[c + 1]);
    CHECK(std::count(part.assignment.begin(), part.assignment.end(), c) == part.sizes[c]);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("two-step assignment equals its slow twin", T, float, double) {
  const auto p = points::blobs(700, 5, 9, 1.5, 1);
  for (const KernelType type : {KernelType::rbf, KernelType::linear, KernelType::poly}) {
    KernelParams kernel = rbf(0.05);
    kernel.type = type;
    kernel.degree = 2;
    kernel.coef0 = type == KernelType::poly ? 1.0 : 0.0;
    KernelKMeansOptions options;
    options.clusters = 8;
    options.sample_size = 150;
    Call call(2, 7);
    const auto rows = kernel_matrix::make_kernel_rows<T>(p.view(), kernel, call.pool);
    const auto part = clustering::kernel_kmeans(*rows, {}, options, call.context);
    check_consistent(part, p.n);
    const auto k = points::kernel_matrix(*rows);
    const double largest = *std::max_element(k.begin(), k.end());
    for (Index x = 0; x < p.n; ++x) {
      std::vector<double> d;
      for (Index c = 0; c < part.clusters; ++c) {
        const Index* member = part.sample.data() + part.first[c];
        d.push_back(distance(k, p.n, x, member, part.first[c + 1] - part.first[c]));
      }
      const double best = *std::min_element(d.begin(), d.end());
      CHECK(d[part.assignment[x]] - best <= 1e-9 * largest);
    }
  }
}

TEST_CASE("kernel k-means finds well separated blobs") {
  const auto p = points::blobs(600, 4, 6, 0.1, 3);
  KernelKMeansOptions options;
  options.clusters = 6;
  options.sample_size = 200;
  Call call;
  const auto part = cluster(p, rbf(0.05), options, call);
  CHECK(part.clusters == 6);
  CHECK(points::same_partition(part.assignment, p.blob));
}

TEST_CASE("the sample comes from the population") {
  const auto p = points::blobs(400, 3, 4, 1.0, 5);
  std::vector<Index> population;
  for (Index i = 0; i < p.n; i += 3) population.push_back(i);
  KernelKMeansOptions options;
  options.sample_size = 50;
  Call call;
  const auto part = cluster(p, rbf(0.05), options, call, population);
  CHECK(part.sample.size() == 50);
  for (const Index i : part.sample) CHECK(i % 3 == 0);
  options.sample_size = 100000;  // more than there are: all of them
  options.balance = false;
  auto all = cluster(p, rbf(0.05), options, call, population).sample;
  std::sort(all.begin(), all.end());
  CHECK(all == population);
}

TEST_CASE("kernel k-means depends on the seed and not on the threads") {
  const auto p = points::blobs(3000, 6, 40, 2.0, 11);
  KernelKMeansOptions options;
  options.clusters = 30;
  options.sample_size = 300;
  options.strict_bound = true;
  Call one(1, 5), two(2, 5), five(5, 5), other(1, 6);
  const auto a = cluster(p, rbf(5.0), options, one);
  for (Call* call : {&two, &five}) {
    const auto b = cluster(p, rbf(5.0), options, *call);
    CHECK(a.assignment == b.assignment);
    CHECK(a.sample == b.sample);
    CHECK(a.constant == b.constant);
  }
  CHECK(a.sample != cluster(p, rbf(5.0), options, other).sample);
}

TEST_CASE("more centres than one kernel block gives are grown from few, and balanced on a probe of the points") {
  const auto p = points::blobs(24000, 4, 50, 1.0, 31);
  KernelKMeansOptions options;
  options.clusters = 300;
  REQUIRE(options.clusters > clustering::kFlatSearch);
  REQUIRE(clustering::probe_size(options.clusters) > p.n);
  for (const bool strict : {false, true}) {
    options.strict_bound = strict;
    Call one(1, 7), three(3, 7);
    const auto part = cluster(p, rbf(0.05), options, one);
    check_consistent(part, p.n);
    CHECK(part.clusters <= options.clusters);
    CHECK(part.clusters > options.clusters * 9 / 10);
    CHECK(*std::max_element(part.sizes.begin(), part.sizes.end()) <= clustering::balance_bound(p.n, part.clusters));
    CHECK(part.assignment == cluster(p, rbf(0.05), options, three).assignment);
  }
}

TEST_CASE_TEMPLATE("a search by groups finds the nearest centre, or one that is nearly as near", T, float, double) {
  const auto p = points::blobs(6000, 3, 40, 1.0, 33);
  Call call(2, 3);
  const auto rows = kernel_matrix::make_kernel_rows<T>(p.view(), rbf(0.1), call.pool);
  base::Random random(1);
  const std::vector<Index> everyone = base::index_range(p.n);
  const auto centres = clustering::fit_centres<T>(*rows, base::sample(everyone, 1500, random), 300, 5, random, call.context);
  const clustering::CentreSearch<T> grouped(*rows, centres, random, call.context);
  const clustering::CentreSearch<T> with_all(*rows, centres, random, call.context, centres.size());
  const auto a = grouped.nearest(everyone), b = with_all.nearest(nullptr, p.n);
  std::vector<double> worse(static_cast<std::size_t>(p.n));
  clustering::for_each_score<T>(*rows, centres, nullptr, p.n, call.context, [&](Index i, const double* score) {
    const double least = *std::min_element(score, score + centres.size());
    worse[i] = score[a[i]] - least;
    if (score[b[i]] != least) worse[i] = 1e9;
  });
  CHECK(*std::max_element(worse.begin(), worse.end()) < 1e9);  // with all centres: always the nearest
  CHECK(std::count(worse.begin(), worse.end(), 0.0) > p.n * 95 / 100);
}

TEST_CASE("degenerate inputs give fewer clusters, never empty ones") {
  KernelKMeansOptions options;
  options.clusters = 16;
  options.sample_size = 64;
  SUBCASE("five distinct points, many times") {
    auto p = points::blobs(500, 3, 5, 0.0, 2);
    const std::set<int> distinct(p.blob.begin(), p.blob.end());
    Call call;
    const auto part = cluster(p, rbf(0.1), options, call);
    check_consistent(part, p.n);
    CHECK(part.clusters == static_cast<Index>(distinct.size()));
    CHECK(points::same_partition(part.assignment, p.blob));
  }
  SUBCASE("one point, many times") {
    auto p = points::blobs(200, 3, 1, 0.0, 2);
    Call call;
    const auto part = cluster(p, rbf(0.1), options, call);
    check_consistent(part, p.n);
    CHECK(part.clusters == 1);
  }
  SUBCASE("constant kernel: linear on zeros") {
    auto p = points::blobs(200, 3, 3, 1.0, 2);
    std::fill(p.values.begin(), p.values.end(), 0.0);
    KernelParams linear;
    linear.type = KernelType::linear;
    Call call;
    CHECK(cluster(p, linear, options, call).clusters == 1);
  }
  SUBCASE("more clusters than points") {
    const auto p = points::blobs(10, 3, 10, 1.0, 4);
    options.clusters = 64;
    Call call;
    const auto part = cluster(p, rbf(1.0), options, call);
    check_consistent(part, p.n);
    CHECK(part.clusters <= 10);
  }
  SUBCASE("one cluster") {
    const auto p = points::blobs(50, 3, 5, 1.0, 4);
    options.clusters = 1;
    Call call;
    CHECK(cluster(p, rbf(1.0), options, call).clusters == 1);
  }
  SUBCASE("none") {
    const auto p = points::blobs(50, 3, 5, 1.0, 4);
    options.clusters = 0;
    Call call;
    CHECK_THROWS_AS(cluster(p, rbf(1.0), options, call), ParameterError);
  }
}

TEST_CASE("balancing keeps clusters of a local kernel below the bound") {
  // Every K between different points is about 0: far points tie and, left alone, fall into one cluster.
  const auto p = points::blobs(4000, 8, 200, 0.05, 21);
  KernelKMeansOptions options;
  options.clusters = 20;
  options.sample_size = 200;
  Call call(2);
  options.balance = false;
  const auto plain = cluster(p, rbf(20.0), options, call);
  const Index bound = clustering::balance_bound(p.n, options.clusters);
  CHECK(*std::max_element(plain.sizes.begin(), plain.sizes.end()) > bound);
  options.balance = true;
  options.strict_bound = true;
  const auto balanced = cluster(p, rbf(20.0), options, call);
  check_consistent(balanced, p.n);
  CHECK(balanced.clusters <= options.clusters);
  CHECK(*std::max_element(balanced.sizes.begin(), balanced.sizes.end()) <= clustering::balance_bound(p.n, balanced.clusters));
  CHECK(balanced.clusters >= options.clusters / 2);
}

TEST_CASE("a local RBF is widened for clustering, which evens the clusters out") {
  const auto p = points::blobs(1500, 10, 60, 0.8, 8);
  Call call;
  const KernelParams local = rbf(1.0);
  const auto rows = kernel_matrix::make_kernel_rows<double>(p.view(), local, call.pool);
  bool is_local = false;
  const KernelParams wide = clustering::clustering_kernel(p.view(), local, *rows, call.context, &is_local);
  CHECK(is_local);
  CHECK(wide.gamma < local.gamma);
  const auto wide_rows = kernel_matrix::make_kernel_rows<double>(p.view(), wide, call.pool);
  KernelKMeansOptions options;
  options.clusters = 10;
  options.sample_size = 100;
  options.balance = false;
  const auto by_local = clustering::kernel_kmeans(*rows, {}, options, call.context);
  const auto by_wide = clustering::kernel_kmeans(*wide_rows, {}, options, call.context);
  const auto largest = [](const KernelPartition& part) { return *std::max_element(part.sizes.begin(), part.sizes.end()); };
  CHECK(2 * largest(by_wide) < largest(by_local));

  // The widened gamma is 1 / median squared distance, also from a kernel that underflows everywhere.
  const KernelParams tiny = rbf(1e6);
  const auto underflown = kernel_matrix::make_kernel_rows<double>(p.view(), tiny, call.pool);
  const double again = clustering::clustering_kernel(p.view(), tiny, *underflown, call.context).gamma;
  CHECK(again == doctest::Approx(wide.gamma).epsilon(1e-6));
  const KernelParams broad = rbf(1e-3);
  const auto broad_rows = kernel_matrix::make_kernel_rows<double>(p.view(), broad, call.pool);
  CHECK(clustering::clustering_kernel(p.view(), broad, *broad_rows, call.context, &is_local).gamma == broad.gamma);
  CHECK_FALSE(is_local);
}

TEST_CASE("the best of several tries cuts less of the model's kernel") {
  const auto p = points::blobs(1200, 6, 24, 0.6, 8);  // fewer points than the sample that judges: the cut is known exactly
  const KernelParams local = rbf(0.3);
  KernelKMeansOptions options;
  options.clusters = 12;
  options.sample_size = 150;
  int better = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    Call call(2, seed);
    const auto rows = kernel_matrix::make_kernel_rows<double>(p.view(), local, call.pool);
    const auto wide = kernel_matrix::make_kernel_rows<double>(p.view(), rbf(0.02), call.pool);
    const auto k = points::kernel_matrix(*rows);
    const auto cut = [&](const kernel_matrix::RowSource<double>* in) {
      const auto part = clustering::kernel_kmeans(*wide, {}, options, call.context, in);
      check_consistent(part, p.n);
      double sum = 0.0;
      for (Index i = 0; i < p.n; ++i) {
        for (Index j = 0; j < p.n; ++j) sum += part.assignment[i] != part.assignment[j] ? k[i * p.n + j] : 0.0;
      }
      return sum;
    };
    const double first = cut(nullptr), best = cut(rows.get());
    CHECK(best <= first);
    better += best < 0.9 * first ? 1 : 0;
  }
  CHECK(better > 0);
}

TEST_CASE("kernel Lloyd ends at a fixed point that no single move improves by its own rule") {
  const auto p = points::blobs(120, 3, 12, 1.5, 9);
  Call call;
  const auto rows = kernel_matrix::make_kernel_rows<double>(p.view(), rbf(0.1), call.pool);
  const auto k = points::kernel_matrix(*rows);
  base::Random random(3);
  const auto member = clustering::kernel_lloyd(k.data(), p.n, 7, 1000, random, call.pool);
  const Index clusters = 1 + *std::max_element(member.begin(), member.end());
  CHECK(clusters == 7);
  for (Index x = 0; x < p.n; ++x) {
    std::vector<double> d;
    for (Index c = 0; c < clusters; ++c) {
      std::vector<Index> inside;
      for (Index i = 0; i < p.n; ++i) {
        if (member[i] == c) inside.push_back(i);
      }
      d.push_back(distance(k, p.n, x, inside.data(), static_cast<Index>(inside.size())));
    }
    CHECK(d[member[x]] <= *std::min_element(d.begin(), d.end()) + 1e-12);
  }
}
