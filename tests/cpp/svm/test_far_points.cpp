// Training under a local rbf kernel: far values are left out, and what is promised of the solution still holds.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "svm/training.hpp"

using namespace dcsvm;
using training::Data;

namespace {

constexpr Index kRows = 10400;  // far values are left out from 10,000 rows on

// Noisy labels on many tight clusters, in no order: local, and too many to keep all rows.
Data clusters(Index n, Index d, int classes, std::uint64_t seed) {
  base::Random random(seed);
  const Index groups = 60;
  std::vector<double> centres;
  for (Index c = 0; c < groups * d; ++c) centres.push_back(9 * random.uniform());
  Data data;
  data.n = n;
  data.d = d;
  for (Index i = 0; i < n; ++i) {
    const Index c = random.below(groups);
    double side = 0;
    for (Index k = 0; k < d; ++k) {
      const double v = random.uniform() - 0.5;
      side += k < 2 ? v : 0.0;
      data.x.push_back(static_cast<double>(static_cast<float>(centres[c * d + k] + v)));
    }
    const auto label = (c + (side > 0 ? 1 : 0) + (random.uniform() < 0.03 ? 1 : 0)) % classes;
    data.y.push_back(static_cast<double>(label));
  }
  return data;
}

TrainParams local(double C = 2.0) {
  auto p = training::rbf(0.6, C);
  p.tol = 1e-2;
  p.cache_size = 60;
  return p;
}

std::vector<double> same_upper(double C) { return std::vector<double>(kRows, C); }

void check_exact(const Data& data, const Model& model, const TrainParams& p, const std::vector<double>& upper) {
  const auto c = training::certify(data, model, 0, 0, 1, upper, p.fit_intercept);
  CHECK(model.report().stop_reason == StopReason::converged);
  CHECK(model.report().violation < p.tol);
  CHECK(c.feasible);
  CHECK(c.violation < 1.05 * p.tol);
  CHECK(c.violation < model.report().violation + 0.1 * p.tol);
  if (p.fit_intercept) CHECK(std::abs(c.balance) < 1e-6);
  CHECK(model.report().objective == doctest::Approx(c.objective).epsilon(1e-5));
}

}  // namespace

TEST_CASE("far values left out: certificates of both solvers, both precisions, with and without a bias") {
  const Data data = clusters(kRows, 12, 2, 1);
  for (const bool bias : {true, false}) {
    for (const SolverType solver : {SolverType::smo, SolverType::dc}) {
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        if (precision == Precision::double_ && bias != (solver == SolverType::smo)) continue;
        auto p = local();
        p.fit_intercept = bias;
        p.solver = solver;
        p.precision = precision;
        const Model model = training::train(data, p);
        CAPTURE(bias);
        CAPTURE(model.report().solver);
        CAPTURE(model.report().precision);
        check_exact(data, model, p, same_upper(p.C));
        CHECK(model.report().peak_cache_bytes <= static_cast<std::int64_t>(p.cache_size * 1048576.0));
      }
    }
  }
}

TEST_CASE("far values left out: the same model on 1 and 2 threads") {
  const Data data = clusters(kRows, 12, 2, 2);
  for (const SolverType solver : {SolverType::smo, SolverType::dc}) {
    for (const double cache : {12.0, 60.0}) {
      auto p = local();
      p.solver = solver;
      p.cache_size = cache;
      p.n_threads = 1;
      const Model one = training::train(data, p);
      p.n_threads = 2;
      const Model two = training::train(data, p);
      CHECK(two.alpha() == one.alpha());
      CHECK(two.rho() == one.rho());
      CHECK(two.support() == one.support());
      CHECK(two.report().violation == one.report().violation);
      CHECK(two.report().n_kernel_values == one.report().n_kernel_values);
      check_exact(data, two, p, same_upper(p.C));
    }
  }
}

TEST_CASE("far values left out: rows of weight 0 take no part, rows of weight 3 count three times") {
  const Data data = clusters(kRows, 12, 2, 3);
  std::vector<double> weight(kRows), upper;
  for (Index i = 0; i < kRows; ++i) {
    weight[i] = i % 7 == 0 ? 0.0 : i % 5 == 0 ? 3.0 : 1.0;
    upper.push_back(2.0 * weight[i]);
  }
  TrainInputs inputs;
  inputs.sample_weight = weight.data();
  const auto p = local();
  const Model model = training::train(data, p, inputs);
  check_exact(data, model, p, upper);
}

TEST_CASE("far values left out: three classes") {
  const Data data = clusters(kRows, 12, 3, 4);
  const auto p = local();  // 60 MB: the whole matrix would take 576
  const Model model = training::train(data, p);
  CHECK(model.report().stop_reason == StopReason::converged);
  const auto upper = same_upper(p.C);
  double worst = 0, objective = 0;
  for (int a = 0, pair = 0; a < 3; ++a) {
    for (int b = a + 1; b < 3; ++b, ++pair) {
      const auto c = training::certify(data, model, pair, a, b, upper, true);
      CHECK(c.feasible);
      worst = std::max(worst, c.violation);
      objective += c.objective;
    }
  }
  CHECK(worst < 1.05 * p.tol);
  CHECK(worst < model.report().violation + 0.1 * p.tol);
  CHECK(model.report().objective == doctest::Approx(objective).epsilon(1e-5));
}

TEST_CASE("far values left out: warm starts and stops") {
  const Data data = clusters(kRows, 12, 2, 5);
  auto p = local();
  const Model cold = training::train(data, p);
  const auto alpha = cold.alpha();
  TrainInputs inputs;
  inputs.warm_start_alpha = alpha.data();
  const Model again = training::train(data, p, inputs);
  CHECK(again.report().n_iter < cold.report().n_iter / 50);
  p.C = 2.5;
  const Model more = training::train(data, p, inputs);
  CHECK(more.report().n_iter < cold.report().n_iter);
  check_exact(data, more, p, same_upper(p.C));

  for (const SolverType solver : {SolverType::smo, SolverType::dc}) {
    p.solver = solver;
    for (const int stop_at : {1, 4}) {
      int calls = 0;
      Hooks hooks;
      hooks.progress_interval = 0;
      hooks.progress = [&](const Progress&) { return ++calls >= stop_at; };
      const Model stopped = training::train(data, p, {}, hooks);
      CHECK(stopped.report().stop_reason == StopReason::cancelled);
      const auto c = training::certify(data, stopped, 0, 0, 1, same_upper(p.C), true);
      CHECK(c.feasible);
      CHECK(c.violation <= stopped.report().violation + 0.1 * p.tol);  // known, though it was cut short
    }
  }
  p.solver = SolverType::smo;
  p.max_iter = 500;
  const Model cut = training::train(data, p);
  CHECK(cut.report().stop_reason == StopReason::max_iter);
  CHECK(training::certify(data, cut, 0, 0, 1, same_upper(p.C), true).violation <= cut.report().violation + 0.1 * p.tol);
}

TEST_CASE("far values left out: 12,000 rows take fewer values than the first 9,990 of them, of which none is left out") {
  const Data data = clusters(12000, 12, 2, 6);
  std::vector<Index> first(9990);
  std::iota(first.begin(), first.end(), Index{0});
  const auto p = local();
  const Model all = training::train(data, p), fewer = training::train(data.rows(first), p);
  CHECK(all.report().n_support > fewer.report().n_support);
  CHECK(static_cast<double>(all.report().n_kernel_values) < 0.8 * static_cast<double>(fewer.report().n_kernel_values));
}
