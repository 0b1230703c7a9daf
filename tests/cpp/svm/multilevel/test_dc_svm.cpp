// What the levels compute.
#include <algorithm>
#include <numeric>

#include "svm/multilevel/runs.hpp"

using namespace dcsvm;
using small::Call;
using small::check_feasible;
using small::kernel_of;
using small::params_of;
using small::run;

TEST_CASE("the multilevel start is close to optimal, and each level closer") {
  for (const bool bias : {false, true}) {
    for (const double gamma : {0.02, 0.5}) {  // one bias per cluster; one for all
      const auto p = small::make(1500, 2, gamma, 4.0, 3);
      const auto k = kernel_of(p);
      Call call(2);
      const auto result = run(p, params_of(3, bias), call);
      CAPTURE(bias);
      CAPTURE(gamma);
      check_feasible(p, result.coef, bias);
      CHECK(result.stop_reason == StopReason::converged);
      const double optimum = small::objective(k, small::solve_whole(p, bias, 1e-6));
      const double start = small::objective(k, result.coef);
      CHECK(start >= optimum - 1e-6 * std::abs(optimum));
      CHECK(start - optimum < (gamma < 0.1 ? 0.05 : 0.01) * std::abs(optimum));
      REQUIRE(result.levels.size() == 4);
      for (int l = 0; l < 4; ++l) {
        const LevelReport& report = result.levels[l];
        CHECK(report.level == 3 - l);
        CHECK(report.clusters == static_cast<Index>(report.sizes.size()));
        if (report.level > 0) CHECK(std::accumulate(report.sizes.begin(), report.sizes.end(), Index{0}) == p.x.n);
        CHECK(report.violation < 1.01e-3);
        CHECK(report.n_support > 0);
        CHECK(report.n_support <= p.x.n);
      }
      CHECK(result.levels[0].clusters > result.levels[1].clusters);
    }
  }
}

TEST_CASE("the refine step lowers the objective") {
  for (const bool bias : {false, true}) {
    const auto p = small::make(1200, 2, 0.2, 4.0, 7, 2.0);
    const auto k = kernel_of(p);
    Call call;
    TrainParams params = params_of(2, bias);
    const auto refined = run(p, params, call);
    params.early_level = 1;
    const auto level1 = run(p, params, call);
    CHECK(refined.levels.back().level == 0);
    CHECK(refined.levels.back().sizes[0] <= refined.levels[1].n_support);
    CHECK(small::objective(k, refined.coef) < small::objective(k, level1.coef));
  }
}

TEST_CASE("same seed, same bits, whatever the threads") {
  for (const int classes : {2, 4}) {
    for (const double gamma : {0.02, 0.5}) {
      for (const auto type : {ClusteringType::kernel_kmeans, ClusteringType::kmeans}) {
        const auto p = small::make(1300, classes, gamma, 2.0, 4);
        TrainParams params = params_of(2, true);
        params.clustering = type;
        Call one(1, 9), two(2, 9), five(5, 9), other(1, 10);
        const auto a = run(p, params, one);
        for (Call* call : {&two, &five}) {
          const auto b = run(p, params, *call);
          CHECK(a.coef == b.coef);
          CHECK(a.partition.assignment() == b.partition.assignment());
          CHECK(a.n_iter == b.n_iter);
        }
        CHECK(a.levels[0].sizes != run(p, params, other).levels[0].sizes);
      }
    }
  }
}

TEST_CASE("an early level returns its partition and one rho per pair of present classes") {
  for (const int classes : {2, 4}) {
    const auto p = small::make(1000, classes, 0.5, 4.0, 15, 0.4);
    TrainParams params = params_of(3, true);
    params.early_level = 2;
    Call call;
    const auto result = run(p, params, call);
    CHECK(result.levels.size() == 2);
    CHECK(result.levels.back().level == 2);
    REQUIRE(static_cast<Index>(result.clusters.size()) == result.partition.clusters());
    check_feasible(p, result.coef, true);
    for (Index c = 0; c < result.partition.clusters(); ++c) {
      std::vector<int> present;
      for (int cls = 0; cls < classes; ++cls) {
        for (Index i = 0; i < p.x.n; ++i) {
          if (result.partition.assignment()[i] == c && p.class_of[i] == cls) {
            present.push_back(cls);
            break;
          }
        }
      }
      CHECK(result.clusters[c].classes == present);
      CHECK(result.clusters[c].rho.size() == present.size() * (present.size() - 1) / 2);
    }
    CHECK(static_cast<Index>(result.partition.by_kernel.first.size()) == result.partition.clusters() + 1);
  }
}

TEST_CASE("clusters of one class: own bias gives 0 there, no bias solves them as they are") {
  auto p = small::make(600, 2, 0.05, 4.0, 2, 0.2);
  for (Index i = 0; i < p.x.n; ++i) p.class_of[i] = p.x.blob[i] % 2;
  const std::vector<std::int32_t> by_blob(p.x.blob.begin(), p.x.blob.end());
  const auto own = small::solve_clusters(p, by_blob, 24, multilevel::BiasMode::own, 1e-6);
  CHECK(std::count(own.begin(), own.end(), 0.0) == p.x.n);
  const auto none = small::solve_clusters(p, by_blob, 24, multilevel::BiasMode::none, 1e-6);
  CHECK(small::violation(p, kernel_of(p), none, false, &by_blob) < 1e-5);
  CHECK(std::count(none.begin(), none.end(), 0.0) < p.x.n);
}

TEST_CASE("several classes: every pair's start is feasible and close to its own optimum") {
  for (const bool bias : {false, true}) {
    const auto p = small::make(900, 3, 0.3, 2.0, 18);
    const auto k = kernel_of(p);
    Call call(2);
    const auto result = run<double>(p, params_of(2, bias), call);
    check_feasible(p, result.coef, bias);
    const auto best = small::solve_whole(p, bias, 1e-5);
    for (int a = 0; a < 3; ++a) {
      for (int b = a + 1; b < 3; ++b) {
        const double optimum = small::objective(k, small::pair_beta(p, best, a, b));
        const double start = small::objective(k, small::pair_beta(p, result.coef, a, b));
        CHECK(start >= optimum - 1e-5 * std::abs(optimum));
        CHECK(start - optimum < 0.02 * std::abs(optimum));
      }
    }
  }
}

TEST_CASE("points without weight or class take no part") {
  auto p = small::make(800, 2, 0.3, 4.0, 22);
  for (Index i = 0; i < p.x.n; i += 5) p.upper[i] = 0.0;
  for (Index i = 1; i < p.x.n; i += 7) p.class_of[i] = -1;
  Call call;
  const auto result = run(p, params_of(2, true), call);
  Index part = 0;
  for (Index i = 0; i < p.x.n; ++i) {
    const bool takes = p.class_of[i] >= 0 && p.upper[i] > 0.0;
    part += takes;
    if (!takes) CHECK(result.coef[i] == 0.0);
  }
  CHECK(std::accumulate(result.levels[0].sizes.begin(), result.levels[0].sizes.end(), Index{0}) == part);
}

TEST_CASE("degenerate data") {
  SUBCASE("duplicates, more clusters than distinct points") {
    auto p = small::make(300, 2, 0.1, 1.0, 1, 0.0);
    Call call;
    check_feasible(p, run(p, params_of(3, true), call).coef, true);
  }
  SUBCASE("constant features") {
    auto p = small::make(100, 2, 0.1, 1.0, 1);
    std::fill(p.x.values.begin(), p.x.values.end(), 3.0);
    for (const bool bias : {false, true}) {
      Call call;
      const auto result = run(p, params_of(2, bias), call);
      CHECK(result.levels[0].clusters == 1);
      check_feasible(p, result.coef, bias);
    }
  }
  SUBCASE("tiny clusters") {
    const auto p = small::make(70, 2, 5.0, 1.0, 1);
    for (const bool bias : {false, true}) {
      Call call;
      check_feasible(p, run(p, params_of(3, bias), call).coef, bias);  // 64 clusters of 70 points
    }
  }
  SUBCASE("plain k-means") {
    const auto p = small::make(500, 2, 0.3, 1.0, 1);
    TrainParams params = params_of(2, true);
    params.clustering = ClusteringType::kmeans;
    params.early_level = 1;
    Call call;
    const auto result = run(p, params, call);
    CHECK(static_cast<Index>(result.partition.by_centre.centres.size()) == result.partition.clusters() * p.x.d);
  }
}

TEST_CASE("a warm start is used") {
  const auto p = small::make(800, 2, 0.3, 4.0, 30);
  Call call;
  TrainParams params = params_of(1, true);
  const auto first = run<double>(p, params, call);
  auto input = p.input();
  input.start = first.coef;
  const auto rows = kernel_matrix::make_kernel_rows<double>(p.x.view(), p.kernel, call.pool);
  const auto second = multilevel::dc_svm(input, *rows, params, call.context);
  CHECK(second.n_iter < first.n_iter);
  check_feasible(p, second.coef, true);
}

TEST_CASE("levels that only start the next solve take a bounded number of steps; the one that is returned takes what it needs") {
  // Exact duplicates with opposite labels: every alpha of a pair goes to C, far beyond what float can resolve.
  auto p = small::make(150, 2, 1.0, 1e10, 7);
  p.x.n = 300;
  p.x.values.insert(p.x.values.end(), p.x.values.begin(), p.x.values.end());
  p.class_of.assign(300, 0);
  std::fill(p.class_of.begin() + 150, p.class_of.end(), 1);
  p.upper.assign(300, 1e10);
  for (const bool bias : {true, false}) {
    Call call;
    const auto result = run(p, params_of(2, bias), call);
    REQUIRE(result.levels.size() == 3);
    for (const LevelReport& level : result.levels)
      CHECK(level.n_iter <= 4 * (100 * 300 + 10000 * level.clusters));  // at most four solves of each
    check_feasible(p, result.coef, false);
  }
  const auto hard = small::make(400, 2, 0.02, 2e5, 8, 3.0);
  TrainParams params = params_of(1, true);
  params.early_level = 1;
  Call call;
  call.context.cap_bytes = 1 << 20;  // no room for walks over so many free variables, which would end it soon
  const auto early = run<double>(hard, params, call);
  CHECK(early.n_iter > 100 * 400 + 4 * 10000);
  CHECK(early.stop_reason == StopReason::converged);
  CHECK(early.violation < params.tol);
}
