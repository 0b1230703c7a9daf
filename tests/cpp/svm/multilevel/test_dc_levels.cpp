// Which levels there are, what an early one answers, and stopping in the midst of them.
#include <algorithm>
#include <string>

#include "dcsvm/errors.hpp"
#include "svm/multilevel/runs.hpp"

using namespace dcsvm;
using small::Call;
using small::check_feasible;
using small::kernel_of;
using small::params_of;
using small::run;

namespace {

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

TEST_CASE("levels that leave no clusters are refused by name") {
  const auto p = small::make(100, 2, 0.3, 1.0, 1);
  TrainParams params = params_of(4, true);  // 256 clusters
  CHECK(error_of(p, params).rfind("n_levels", 0) == 0);
  params = params_of(60, true);
  CHECK(error_of(p, params).rfind("n_levels", 0) == 0);
  params = params_of(0, true);
  params.branching = 101;
  CHECK(error_of(p, params).rfind("branching", 0) == 0);
  params = params_of(9, true);
  params.early_level = 3;
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
  params.early_level = 2;  // no levels below the one that predicts, unless they are asked for
  CHECK(multilevel::resolve_levels(params, 10000000) == 2);
  CHECK(multilevel::early_clusters(params, 10000000) == 16);
  params.n_levels = 3;
  CHECK(multilevel::resolve_levels(params, 10000000) == 3);
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
        hooks.progress_interval = 0;
        hooks.progress = [&](const Progress& now) { return std::string(now.phase) != "clustering" && calls++ >= stop_after; };
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
            if (cluster_of[i] != static_cast<int>(c)) continue;
            weight += p.class_of[i] == 0 ? 1 : -1;
            empty = empty && beta[i] == 0;
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
        hooks.progress_interval = 0;
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
    const auto rows = kernel_matrix::make_kernel_rows<float>(p.x.view(), p.kernel, call.pool);
    CHECK_THROWS_AS(multilevel::dc_svm(p.input(), *rows, params_of(2, true), call.context), Interrupted);
  }
}
