// RandSVM and the cascade: their papers' properties, through the public interface.
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "svm/sampled/rand_svm.hpp"
#include "svm/training.hpp"

using namespace dcsvm;
using training::Data;

namespace {

TrainParams sampled_params(SolverType solver, Index k = 0) {
  TrainParams params = training::rbf(2.0, 5.0);
  params.solver = solver;
  params.n_support_estimate = k;
  params.cascade_leaves = 4;
  return params;
}

}  // namespace

TEST_CASE("k of Eq. (4) is the smallest that satisfies it") {
  for (const double epsilon : {0.05, 0.2, 0.9}) {
    for (const double delta : {0.01, 0.9}) {
      for (const Index n : {Index{2}, Index{1000}, Index{1000000}}) {
        const auto bound = [&](Index k) {
          return epsilon * epsilon * static_cast<double>(k) / 16 >= std::log(4.0 * static_cast<double>(n) / delta);
        };
        const Index k = sampled::support_estimate(n, epsilon, delta);
        CHECK(bound(k));
        CHECK((k == 2 || !bound(k - 1)));
      }
    }
  }
}

TEST_CASE("without violators the solution is the whole problem's, and the report proves it") {
  for (const bool bias : {true, false}) {
    for (const int classes : {2, 3}) {
      const Data data = classes == 2 ? training::checkerboard(900, 3) : training::blobs(900, 4, 3, 5);
      TrainParams exact = training::rbf(2.0, 5.0);
      exact.fit_intercept = bias;
      exact.precision = Precision::double_;
      exact.tol = 1e-5;
      const Model reference = training::train(data, exact);
      for (const SolverType solver : {SolverType::rand, SolverType::cascade}) {
        TrainParams params = exact;
        params.solver = solver;
        params.cascade_leaves = 4;
        params.n_support_estimate = 700;  // more than there are, and samples of 700 are not everything
        params.sample_factor = 1;
        const Model model = training::train(data, params);
        CAPTURE(static_cast<int>(solver));
        CHECK(model.report().stop_reason == StopReason::converged);
        CHECK(model.report().violation < params.tol);
        CHECK(model.report().objective == doctest::Approx(reference.report().objective).epsilon(1e-6));
        CHECK(model.report().solver_reason.find("optimal") != std::string::npos);
        const auto a = training::decisions(model, data.view()), b = training::decisions(reference, data.view());
        for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(std::abs(a[i] - b[i]) < 1e-3);
        // The solver's own look at the whole problem from there agrees.
        TrainParams look = exact;
        look.max_iter = 0;
        TrainInputs start;
        const auto alpha = model.alpha();
        start.warm_start_alpha = alpha.data();
        const Model seen = training::train(data, look, start);
        CHECK(seen.report().violation == doctest::Approx(model.report().violation).epsilon(1e-3));
        CHECK(seen.report().objective == doctest::Approx(model.report().objective));
      }
    }
  }
}

TEST_CASE("the dual objective falls from round to round") {
  const Data data = training::checkerboard(2000, 8);
  for (const SolverType solver : {SolverType::rand, SolverType::cascade}) {
    const Model model = training::train(data, sampled_params(solver, 900));
    const auto& rounds = model.report().levels;
    REQUIRE(rounds.size() > 2);
    for (std::size_t t = 1; t < rounds.size(); ++t) {
      CHECK(rounds[t].level == static_cast<int>(t) + 1);
      CHECK(rounds[t].objective <= rounds[t - 1].objective + 1e-6);
    }
    CHECK(rounds.back().objective < rounds.front().objective);
    CHECK(model.report().stop_reason == StopReason::converged);
  }
}

TEST_CASE("as many support vectors as estimated: near-optimal, and the report says so") {
  const Data data = training::checkerboard(3000, 11, 0.0), test = training::checkerboard(1000, 12, 0.0);
  const Model model = training::train(data, sampled_params(SolverType::rand, 200));
  CHECK(model.report().stop_reason == StopReason::support_limit);
  CHECK(model.report().n_support >= 200);
  CHECK(model.report().n_support <= 400);  // what a sample of c k rows can have
  CHECK(std::isinf(model.report().violation));  // of points outside the last sample nothing is known
  const auto& rounds = model.report().levels;
  for (std::size_t t = 1; t < rounds.size(); ++t) CHECK(rounds[t].objective < rounds[t - 1].objective);
  TrainParams look = training::rbf(2.0, 5.0);  // the exact solver, from there, without a step: the objective is the whole's
  look.max_iter = 0;
  TrainInputs start;
  const auto alpha = model.alpha();
  start.warm_start_alpha = alpha.data();
  const Model seen = training::train(data, look, start);
  CHECK(seen.report().objective == doctest::Approx(model.report().objective).epsilon(1e-5));
  CHECK(seen.report().violation > 1e-3);
  CHECK(model.report().solver_reason.find("near-optimal") != std::string::npos);
  for (const auto& round : model.report().levels) CHECK(round.sizes.front() <= 400);
  std::vector<double> labels(test.n);
  predict(model, test.view(), labels.data());
  Index right = 0;
  for (Index i = 0; i < test.n; ++i) right += labels[i] == test.y[i] ? 1 : 0;
  CHECK(right > 900);
}

TEST_CASE("samples do not depend on threads, and follow the seed") {
  const Data data = training::blobs(600, 3, 3, 21);
  for (const SolverType solver : {SolverType::rand, SolverType::cascade}) {
    TrainParams params = sampled_params(solver, 60);
    const Model two = training::train(data, params);
    params.n_threads = 1;
    CHECK(training::train(data, params).sv_coef() == two.sv_coef());
    params.seed = 5;
    CHECK(training::train(data, params).sv_coef() != two.sv_coef());
  }
}

TEST_CASE("weights, linear and precomputed kernels, a warm start, a limit, few rows, cancelling") {
  const Data data = training::checkerboard(500, 31);
  for (const SolverType solver : {SolverType::rand, SolverType::cascade}) {
    TrainParams params = sampled_params(solver, 450);
    std::vector<double> weight(data.n, 1.0);
    for (Index i = 0; i < data.n; i += 3) weight[i] = i % 2 == 0 ? 0.0 : 4.0;
    TrainInputs inputs;
    inputs.sample_weight = weight.data();
    TrainParams exact = training::rbf(2.0, 5.0);
    const Model reference = training::train(data, exact, inputs);
    const Model weighted = training::train(data, params, inputs);
    CHECK(weighted.report().objective == doctest::Approx(reference.report().objective).epsilon(1e-5));

    const auto alpha = weighted.alpha();
    inputs.warm_start_alpha = alpha.data();
    const Model again = training::train(data, params, inputs);
    CHECK(again.report().stop_reason == StopReason::converged);
    CHECK(again.report().objective <= weighted.report().objective * (1 - 1e-5));

    params.kernel.type = KernelType::linear;
    CHECK(training::train(data, params).report().violation < 1e-2);
    params = sampled_params(solver, 450);
    params.max_iter = 5;
    CHECK(training::train(data, params).report().stop_reason == StopReason::max_iter);
    params.max_iter = -1;
    const Data few = training::checkerboard(7, 3);
    CHECK(training::train(few, params).report().stop_reason == StopReason::converged);
    params = sampled_params(solver, 3000);
    Hooks hooks;
    hooks.progress = [](const Progress&) { return true; };
    const Model stopped = training::train(training::checkerboard(4000, 9), params, {}, hooks);
    CHECK((stopped.report().stop_reason == StopReason::cancelled || stopped.report().violation < params.tol));
  }
}

TEST_CASE("few positives, all at their bound: no free point determines the bias") {
  Data data = training::blobs(2000, 2, 2, 3);
  for (Index i = 0; i < data.n; ++i) data.y[i] = i < 3 ? 1.0 : 0.0;
  for (const KernelType kernel : {KernelType::rbf, KernelType::linear}) {
    for (const double C : {1e-5, 1e-3, 0.1}) {
      TrainParams params = sampled_params(SolverType::automatic);
      params.kernel.type = kernel;
      params.C = C;
      const Model reference = training::train(data, params);
      for (const SolverType solver : {SolverType::rand, SolverType::cascade}) {
        CAPTURE(static_cast<int>(kernel));
        CAPTURE(C);
        params.solver = solver;
        params.n_support_estimate = 8;
        int calls = 0;
        Hooks hooks;
        hooks.progress = [&calls](const Progress&) { return ++calls > 2000; };
        const Model model = train(data.view(), data.y.data(), params, {}, hooks);
        const bool near = model.report().stop_reason == StopReason::support_limit;
        CHECK((near || model.report().stop_reason == StopReason::converged));
        if (near) continue;
        CHECK(model.report().violation <= params.tol);
        CHECK(std::abs(model.report().objective - reference.report().objective) < 2e-3 * 6 * C);
        const auto a = training::decisions(model, data.view()), b = training::decisions(reference, data.view());
        for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(std::abs(a[i] - b[i]) < 0.01);
      }
      params.solver = SolverType::automatic;
    }
  }
}

TEST_CASE("cascade: rows that violate in different leaves meet in the end") {
  Data data = training::blobs(2000, 2, 1, 3);
  for (Index i = 0; i < data.n; ++i) data.y[i] = static_cast<double>(i % 2);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    TrainParams params = sampled_params(SolverType::cascade);
    params.C = 1e-4;
    params.seed = seed;
    const Model model = training::train(data, params);
    CHECK(model.report().stop_reason == StopReason::converged);
    CHECK(model.report().n_support == data.n);  // all at their bound
  }
}

TEST_CASE("violators are looked for part by part: enough for the next sample, and all points before it ends") {
  const Data data = training::checkerboard(3000, 17);
  svm::BinaryProblem pair;
  for (Index i = 0; i < data.n; ++i) pair.add(i, data.y[i] == data.y[0] ? 1.0 : -1.0, 5.0);
  base::ThreadPool pool(2);
  base::Context context;
  context.pool = &pool;
  context.cap_bytes = std::size_t{1} << 28;
  const auto run = [&](Index part_rows, Index k, Index r, std::int64_t& values) {
    const auto rows = kernel_matrix::make_kernel_rows<double>(data.view(), training::rbf(2.0, 5.0).kernel, pool);
    std::vector<double> beta(data.n, 0.0);
    sampled::RandOptions options;
    options.k = k;
    options.r = r;
    options.tol = options.accepted_tol = 1e-4;
    options.part_rows = part_rows;
    const sampled::WholeProblem<double> whole{*rows, pair, true};
    const auto found = sampled::rand_svm(whole, options, beta, context, Progress{});
    values = rows->n_values();
    return found;
  };
  std::int64_t together = 0, apart = 0;
  const auto whole = run(data.n, 2000, 2200, together), parts = run(100, 2000, 2200, apart);
  for (const auto* found : {&whole, &parts}) {
    CHECK(found->stop_reason == StopReason::converged);
    CHECK(found->violation < 1e-4);
    CHECK(found->objective == doctest::Approx(whole.objective).epsilon(1e-6));
  }
  const auto early = run(data.n, 300, 400, together), fewer = run(100, 300, 400, apart);
  for (const auto* found : {&early, &fewer}) {
    CHECK(found->stop_reason == StopReason::support_limit);
    REQUIRE(found->rounds.size() > 1);
  }
  CHECK(std::isfinite(early.rounds.front().violation));
  CHECK(std::isinf(fewer.rounds.front().violation));  // not all points were looked at
  CHECK(fewer.rounds[1].sizes.front() == 400);        // but the sample is full
  CHECK(apart < together);
  for (std::size_t t = 1; t < fewer.rounds.size(); ++t) CHECK(fewer.rounds[t].objective < fewer.rounds[t - 1].objective);
}
