// The statements of Hsieh, Si, Dhillon (ICML 2014), on data small enough to write K out.
#include "clustering/kernel_kmeans.hpp"
#include "doctest/doctest.h"
#include "svm/multilevel/problem.hpp"

using namespace dcsvm;
using multilevel::BiasMode;

namespace {

constexpr double kTol = 1e-7;

clustering::KernelPartition kernel_partition(const small::Problem& p, Index clusters, std::uint64_t seed) {
  small::Call call(1, seed);
  const auto rows = kernel_matrix::make_kernel_rows<double>(p.x.view(), p.kernel, call.pool);
  clustering::KernelKMeansOptions options;
  options.clusters = clusters;
  options.sample_size = 100;
  return clustering::kernel_kmeans(*rows, {}, options, call.context);
}

std::vector<double> kernel_matrix_of(const small::Problem& p) {
  base::ThreadPool serial(1);
  return points::kernel_matrix(*kernel_matrix::make_kernel_rows<double>(p.x.view(), p.kernel, serial));
}

/// Theorem 3's D: pairs between clusters with both points in S* or S-bar.
double between_support(const std::vector<double>& k, const std::vector<std::int32_t>& cluster_of, const std::vector<double>& a,
                       const std::vector<double>& b) {
  const std::size_t n = a.size();
  double d = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const bool both = (a[i] != 0.0 || b[i] != 0.0) && (a[j] != 0.0 || b[j] != 0.0);
      if (both && cluster_of[i] != cluster_of[j]) d += std::abs(k[i * n + j]);
    }
  }
  return d;
}

}  // namespace

TEST_CASE("Lemma 1: the concatenation solves the problem whose kernel is 0 between clusters") {
  const auto p = small::make(500, 2, 0.3, 4.0, 1);
  const auto k = kernel_matrix_of(p);
  const auto partition = kernel_partition(p, 6, 2);
  const auto random = small::random_partition(p.x.n, 6, 3);
  for (const auto* cluster_of : {&partition.assignment, &random}) {
    const auto beta = small::solve_clusters(p, *cluster_of, 6, BiasMode::none, kTol);
    CHECK(small::violation(p, k, beta, false, cluster_of) < 1.01 * kTol);
    CHECK(small::violation(p, k, beta, false, cluster_of) < small::violation<std::vector<int>>(p, k, beta, false, nullptr));
  }
}

TEST_CASE("Lemma 1 with a bias: clusters that share it solve the problem with one constraint") {
  const auto p = small::make(500, 2, 0.3, 4.0, 1);
  const auto k = kernel_matrix_of(p);
  const auto partition = kernel_partition(p, 6, 2);
  multilevel::LevelOutcome outcome;
  auto beta = small::solve_clusters(p, partition.assignment, partition.clusters, BiasMode::common, kTol, &outcome);
  CHECK(std::abs(small::sum(beta)) < 1e-4);
  multilevel::balance_pairs(p.input(), beta);
  CHECK(small::violation(p, k, beta, true, &partition.assignment) < 1e-4);
  CHECK(outcome.report.objective == doctest::Approx(small::objective(k, beta, &partition.assignment)).epsilon(1e-6));
  // One bias for all: every cluster with both classes reports the same rho.
  for (const auto& cluster : outcome.clusters) {
    if (cluster.classes.size() == 2) CHECK(cluster.rho[0] == doctest::Approx(outcome.clusters[0].rho[0]).epsilon(1e-12));
  }
  // Each with its own bias has one constraint per cluster: feasible, and no better.
  const auto own = small::solve_clusters(p, partition.assignment, partition.clusters, BiasMode::own, kTol);
  CHECK(std::abs(small::sum(own)) < 1e-9);
  CHECK(small::objective(k, own, &partition.assignment) > small::objective(k, beta, &partition.assignment) - 1e-6);
}

TEST_CASE("Theorems 1 and 3: the gap is at most C^2 D(pi) / 2, also with D over the support vectors alone") {
  for (const double C : {0.5, 4.0}) {
    for (const double gamma : {0.1, 1.0}) {
      const auto p = small::make(400, 2, gamma, C, 5);
      const auto k = kernel_matrix_of(p);
      const auto best = small::solve_whole(p, false, kTol);
      const double optimum = small::objective(k, best);
      CHECK(small::violation<std::vector<int>>(p, k, best, false, nullptr) < 1.01 * kTol);
      double gap_kernel = 0, gap_random = 0;
      for (const bool by_kernel : {true, false}) {
        const auto cluster_of = by_kernel ? kernel_partition(p, 5, 1).assignment : small::random_partition(p.x.n, 5, 9);
        const auto beta = small::solve_clusters(p, cluster_of, 5, BiasMode::none, kTol);
        const double gap = small::objective(k, beta) - optimum;
        const double D = points::between(k, cluster_of), D_support = between_support(k, cluster_of, best, beta);
        CHECK(gap >= -1e-6 * std::abs(optimum));
        CHECK(gap <= 0.5 * C * C * D);
        CHECK(gap <= 0.5 * C * C * D_support);
        CHECK(D_support <= D);
        (by_kernel ? gap_kernel : gap_random) = gap;
      }
      CHECK(gap_kernel < gap_random);
    }
  }
}

TEST_CASE("Theorem 1 holds with a bias when the clusters share it") {
  const double C = 2.0;
  const auto p = small::make(400, 2, 0.5, C, 6);
  const auto k = kernel_matrix_of(p);
  const double optimum = small::objective(k, small::solve_whole(p, true, kTol));
  const auto partition = kernel_partition(p, 5, 1);
  auto beta = small::solve_clusters(p, partition.assignment, partition.clusters, BiasMode::common, kTol);
  multilevel::balance_pairs(p.input(), beta);
  const double gap = small::objective(k, beta) - optimum;
  CHECK(gap >= -1e-6 * std::abs(optimum));
  CHECK(gap <= 0.5 * C * C * points::between(k, partition.assignment));
}

TEST_CASE("kernel k-means has a smaller D(pi) than a random partition of the same sizes") {
  const auto p = small::make(600, 2, 0.3, 1.0, 8);
  const auto k = kernel_matrix_of(p);
  const auto partition = kernel_partition(p, 8, 1);
  auto shuffled = partition.assignment;
  base::Random random(4);
  for (std::size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.below(static_cast<Index>(i))]);
  CHECK(points::between(k, partition.assignment) < 0.7 * points::between(k, shuffled));
}

TEST_CASE("Figure 2: each level's support vectors come closer to the whole problem's, and beat a cascade's") {
  for (const bool bias : {false, true}) {
    const auto p = small::make(2000, 2, 0.5, 4.0, 12, 0.7);
    const auto truth = small::solve_whole(p, bias, 1e-5);
    small::Call call;
    const auto rows = kernel_matrix::make_kernel_rows<double>(p.x.view(), p.kernel, call.pool);
    TrainParams params;
    params.fit_intercept = bias;
    params.tol = 1e-4;
    params.n_levels = 3;
    params.sample_size = 300;
    double last = 0.0;
    for (int level = 3; level >= 1; --level) {
      params.early_level = level;
      const auto result = multilevel::dc_svm(p.input(), *rows, params, call.context);
      const auto found = small::compare_support(result.coef, truth);
      // A cascade's level: random parts of the same number, each solved alone.
      const Index parts = Index{1} << (2 * level);
      const auto cascade = small::compare_support(
          small::solve_clusters(p, small::random_partition(p.x.n, parts, 1), parts, bias ? BiasMode::own : BiasMode::none, 1e-4),
          truth);
      const auto f1 = [](const small::Found& f) { return 2.0 * f.precision * f.recall / (f.precision + f.recall); };
      CAPTURE(level);
      CHECK(f1(found) > f1(cascade) + 0.05);
      CHECK(f1(found) > last - 0.01);
      last = f1(found);
    }
    CHECK(last > 0.92);
  }
}
