#include <algorithm>
#include <numeric>
#include <string>

#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "multilevel/problem.hpp"

using namespace dcsvm;
using small::at;
using small::Call;

namespace {

TrainParams params_of(int levels, bool bias) {
  TrainParams params;
  params.n_levels = levels;
  params.fit_intercept = bias;
  params.sample_size = 200;
  params.tol = 1e-3;
  return params;
}

template <class T = float>
multilevel::Result run(const small::Problem& p, const TrainParams& params, Call& call) {
  const auto rows = rows::make_kernel_rows<T>(p.x.view(), p.kernel, call.pool);
  return multilevel::dc_svm(p.input(), *rows, params, call.context);
}

std::vector<double> kernel_of(const small::Problem& p) {
  base::ThreadPool serial(1);
  return points::kernel_matrix(*rows::make_kernel_rows<double>(p.x.view(), p.kernel, serial));
}

/// Every pair's coefficients lie in their box; with a bias they sum to 0.
void check_feasible(const small::Problem& p, const std::vector<double>& coef, bool bias) {
  for (int a = 0; a < p.n_classes; ++a) {
    for (int b = a + 1; b < p.n_classes; ++b) {
      const auto beta = small::pair_beta(p, coef, a, b);
      for (Index i = 0; i < p.x.n; ++i) {
        const double v = p.class_of[at(i)] == a ? beta[at(i)] : -beta[at(i)];
        CHECK(v >= 0.0);
        CHECK(v <= p.upper[at(i)]);
      }
      if (bias) CHECK(std::abs(small::sum(beta)) < 1e-9);
    }
  }
}

std::string error_of(const small::Problem& p, const TrainParams& params) {
  Call call;
  try {
    run(p, params, call);
  } catch (const ParameterError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

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
        const LevelReport& report = result.levels[at(l)];
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
          if (result.partition.assignment()[at(i)] == c && p.class_of[at(i)] == cls) {
            present.push_back(cls);
            break;
          }
        }
      }
      CHECK(result.clusters[at(c)].classes == present);
      CHECK(result.clusters[at(c)].rho.size() == present.size() * (present.size() - 1) / 2);
    }
    CHECK(static_cast<Index>(result.partition.by_kernel.first.size()) == result.partition.clusters() + 1);
  }
}

TEST_CASE("clusters of one class: own bias gives 0 there, no bias solves them as they are") {
  auto p = small::make(600, 2, 0.05, 4.0, 2, 0.2);
  for (Index i = 0; i < p.x.n; ++i) p.class_of[at(i)] = p.x.blob[at(i)] % 2;
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
  for (Index i = 0; i < p.x.n; i += 5) p.upper[at(i)] = 0.0;
  for (Index i = 1; i < p.x.n; i += 7) p.class_of[at(i)] = -1;
  Call call;
  const auto result = run(p, params_of(2, true), call);
  Index part = 0;
  for (Index i = 0; i < p.x.n; ++i) {
    const bool takes = p.class_of[at(i)] >= 0 && p.upper[at(i)] > 0.0;
    part += takes;
    if (!takes) CHECK(result.coef[at(i)] == 0.0);
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
  input.start = &first.coef;
  const auto rows = rows::make_kernel_rows<double>(p.x.view(), p.kernel, call.pool);
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
  const auto hard = small::make(400, 2, 0.02, 1e4, 8, 3.0);
  TrainParams params = params_of(1, true);
  params.early_level = 1;
  Call call;
  const auto early = run<double>(hard, params, call);
  CHECK(early.n_iter > 100 * 400 + 4 * 10000);
  CHECK(early.stop_reason == StopReason::converged);
  CHECK(early.violation < params.tol);
}

TEST_CASE("levels that leave no clusters are refused by name") {
  const auto p = small::make(100, 2, 0.3, 1.0, 1);
  TrainParams params = params_of(1, true);
  params.branching = 1;
  CHECK(error_of(p, params).rfind("branching", 0) == 0);
  params = params_of(-1, true);
  CHECK(error_of(p, params).rfind("n_levels", 0) == 0);
  params = params_of(4, true);  // 256 clusters
  CHECK(error_of(p, params).rfind("n_levels", 0) == 0);
  params = params_of(60, true);
  CHECK(error_of(p, params).rfind("n_levels", 0) == 0);
  params = params_of(0, true);
  params.branching = 101;
  CHECK(error_of(p, params).rfind("branching", 0) == 0);
  params = params_of(2, true);
  params.early_level = 0;
  CHECK(error_of(p, params).rfind("early_level", 0) == 0);
  params.early_level = 3;
  CHECK(error_of(p, params).rfind("early_level", 0) == 0);
  params.n_levels = 9;
  CHECK(error_of(p, params).rfind("n_levels", 0) == 0);
}

TEST_CASE("an early_level beyond what the points have, and the default branching, give way and say so") {
  const auto p = small::make(100, 2, 0.3, 1.0, 1);
  for (const int early : {3, 4, 9, 1000000}) {
    TrainParams params = params_of(0, true);
    params.early_level = early;
    Call call;
    const auto result = run(p, params, call);
    CHECK(result.levels.back().level == 3);  // 4^3 <= 100 < 4^4
    CHECK(result.note.empty() == (early == 3));
    if (early == 9) CHECK(result.note == "early_level 3 instead of 9: 100 samples have no more");
  }
  for (const Index n : {2, 3, 4, 5}) {
    for (const bool early : {false, true}) {
      for (const ClusteringType clustering : {ClusteringType::kernel_kmeans, ClusteringType::kmeans}) {
        for (const int levels : {0, 1}) {
          auto few = small::make(n, 2, 0.3, 1.0, 1);
          few.class_of[0] = 0;
          few.class_of[1] = 1;
          TrainParams params = params_of(levels, true);
          params.clustering = clustering;
          if (early) params.early_level = 1;
          Call call;
          const auto result = run(few, params, call);
          CHECK(result.stop_reason == StopReason::converged);
          CHECK(result.levels.front().clusters <= std::min<Index>(n, 4));
          CHECK(result.note.empty() == (n >= 4));
          check_feasible(few, result.coef, true);
        }
      }
    }
  }
}

TEST_CASE("default number of levels") {
  TrainParams params;
  CHECK(multilevel::resolve_levels(params, 100) == 1);
  CHECK(multilevel::resolve_levels(params, 68596) == 3);
  CHECK(multilevel::resolve_levels(params, 1000000) == 5);
  CHECK(multilevel::resolve_last_level(params, 1, 100) == 1);
  CHECK(multilevel::resolve_last_level(params, 3, 68596) == 2);  // 16 clusters; 4 are left to the refine step
  params.n_levels = 3;
  CHECK(multilevel::resolve_last_level(params, 3, 68596) == 1);
  params.n_levels = 0;
  params.early_level = 4;
  CHECK(multilevel::resolve_levels(params, 68596) == 4);
  CHECK(multilevel::resolve_last_level(params, 4, 68596) == 4);
}

TEST_CASE("a cancelled early model reports itself, and clusters without a turn answer with their heavier class") {
  auto p = small::make(1500, 2, 0.3, 4.0, 41);
  bool unsolved = false, partly = false;
  for (const double gamma : {0.3, 30.0}) {  // each cluster its own bias; one for all
    p.kernel.gamma = gamma;
    const auto k = kernel_of(p);
    for (const bool bias : {false, true}) {
      for (int stop_after = 0; stop_after < 8; ++stop_after) {
        int calls = 0;
        Hooks hooks;
        hooks.progress = [&](const Progress&) { return calls++ >= stop_after; };
        base::Monitor monitor(hooks);
        Call call(2);
        call.context.monitor = &monitor;
        TrainParams params = params_of(2, bias);
        params.early_level = 1;
        const auto result = run<double>(p, params, call);
        if (result.stop_reason != StopReason::cancelled) continue;
        const auto beta = small::pair_beta(p, result.coef, 0, 1);
        const auto& cluster_of = result.partition.assignment();
        CAPTURE(bias);
        CAPTURE(gamma);
        CAPTURE(stop_after);
        CHECK(result.objective == doctest::Approx(small::objective(k, beta, &cluster_of)).epsilon(1e-6));
        CHECK(result.violation > 0);
        if (!bias) CHECK(result.violation == doctest::Approx(small::violation(p, k, beta, false, &cluster_of)).epsilon(1e-6));
        for (std::size_t c = 0; bias && c < result.clusters.size(); ++c) {
          if (result.clusters[c].classes.size() < 2) continue;
          double weight = 0;
          bool empty = true;
          for (Index i = 0; i < p.x.n; ++i) {
            if (cluster_of[at(i)] != static_cast<int>(c)) continue;
            weight += p.class_of[at(i)] == 0 ? 1 : -1;
            empty = empty && beta[at(i)] == 0;
          }
          if (empty) CHECK(result.clusters[c].rho.at(0) == (weight >= 0 ? -1.0 : 1.0));
          unsolved = unsolved || empty;
          partly = partly || !empty;
        }
      }
    }
  }
  CHECK(unsolved);
  CHECK(partly);
}

TEST_CASE("cancellation leaves a feasible state, interruption passes through") {
  const auto p = small::make(1500, 3, 0.3, 4.0, 40);
  for (const int threads : {1, 3}) {
    for (const bool bias : {false, true}) {
      for (int stop_after = 0; stop_after < 8; ++stop_after) {
        int calls = 0;
        Hooks hooks;
        hooks.progress = [&](const Progress&) { return calls++ >= stop_after; };
        base::Monitor monitor(hooks);
        Call call(threads);
        call.context.monitor = &monitor;
        const auto result = run(p, params_of(2, bias), call);
        CHECK(result.stop_reason == StopReason::cancelled);
        check_feasible(p, result.coef, bias);
      }
    }
    Hooks hooks;
    hooks.interrupted = [] { return true; };
    base::Monitor monitor(hooks);
    base::ThreadPool pool(threads, [] { throw Interrupted(); });
    Call call;
    call.context.pool = &pool;
    call.context.monitor = &monitor;
    const auto rows = rows::make_kernel_rows<float>(p.x.view(), p.kernel, call.pool);
    CHECK_THROWS_AS(multilevel::dc_svm(p.input(), *rows, params_of(2, true), call.context), Interrupted);
  }
}
