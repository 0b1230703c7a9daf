#include "dcsvm/any_model.hpp"
#include "dcsvm/low_rank.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "clustering/points.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

struct Problem {
  points::Points p = points::blobs(600, 3, 9, 1.2, 3);
  std::vector<double> y;
  explicit Problem(int classes = 2) {
    for (const int b : p.blob) y.push_back(b % classes);
  }
  DataView x() const { return p.view(); }
};

LowRankParams params_of(Index k) {
  LowRankParams p;
  p.kernel.gamma = 0.3;
  p.C = 2;
  p.n_landmarks = k;
  p.n_threads = 2;
  return p;
}

double rbf(const double* a, const double* b, Index d, double gamma) {
  double d2 = 0;
  for (Index j = 0; j < d; ++j) d2 += (a[j] - b[j]) * (a[j] - b[j]);
  return std::exp(-gamma * d2);
}

}  // namespace

TEST_CASE("Proposition 2: the model solves the reduced SVM (Eq. 24) over its landmarks") {
  const Problem problem;
  auto params = params_of(40);
  params.tol = 1e-5;
  params.max_iter = 100000;
  const auto model = train_low_rank(problem.x(), problem.y.data(), params);
  CHECK(model.report().stop_reason == StopReason::converged);
  const auto z = model.landmarks();
  const auto& u = model.coef();
  const Index k = model.n_landmarks(), d = problem.p.d, n = problem.p.n;
  const double b = model.intercept()[0];
  double primal = 0.5 * b * b;
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) primal += 0.5 * u[i] * u[j] * rbf(z.data() + i * d, z.data() + j * d, d, 0.3);
  }
  std::vector<double> decisions(n);
  decision_function(model, problem.x(), decisions.data());
  for (Index i = 0; i < n; ++i) {
    double f = b;
    for (Index j = 0; j < k; ++j) f += u[j] * rbf(problem.p.values.data() + i * d, z.data() + j * d, d, 0.3);
    CHECK(decisions[i] == doctest::Approx(f).epsilon(1e-3));
    primal += params.C * std::max(0.0, 1 - f * (problem.y[i] == 0 ? 1 : -1));
  }
  // The dual bounds Eq. (24) from below: no (u, b) is better by more than the gap.
  CHECK(primal + model.report().objective >= -1e-3 * primal);
  CHECK(primal + model.report().objective < 2e-3 * primal);
  CHECK(model.report().primal_objective == doctest::Approx(primal).epsilon(1e-3));
}

TEST_CASE("train_low_rank: the same model whatever the number of threads; files and bytes keep it") {
  for (const auto features : {LowRankFeatures::nystrom, LowRankFeatures::rks, LowRankFeatures::fastfood}) {
    for (const auto multi : {MultiClass::one_vs_rest, MultiClass::one_vs_one}) {
      const Problem problem(3);
      auto params = params_of(50);
      params.features = features;
      params.multi_class = multi;
      const auto a = train_low_rank(problem.x(), problem.y.data(), params);
      params.n_threads = 1;
      const auto b = train_low_rank(problem.x(), problem.y.data(), params);
      CHECK(a.coef() == b.coef());
      CHECK(a.intercept() == b.intercept());
      CHECK(decision_columns(a) == 3);
      const std::string bytes = model_to_bytes(a);
      CHECK(holds<LowRankModel>(bytes));
      const auto loaded = bytes_as<LowRankModel>(bytes);
      CHECK(model_to_bytes(loaded) == bytes);
      std::vector<double> before(problem.p.n), after(before.size());
      predict(a, problem.x(), before.data());
      predict(loaded, problem.x(), after.data());
      CHECK(before == after);
      Index right = 0;
      for (std::size_t i = 0; i < before.size(); ++i) right += before[i] == problem.y[i] ? 1 : 0;
      CHECK(right > 450);
      CHECK_THROWS_AS(model_from_bytes(bytes), ModelError);
      for (std::size_t i = 0; i < bytes.size(); i += 7) {
        std::string bad = bytes;
        bad[i] = static_cast<char>(bad[i] ^ 4);
        REQUIRE_THROWS_AS(bytes_as<LowRankModel>(bad), ModelError);
        REQUIRE_THROWS_AS(bytes_as<LowRankModel>(std::string_view(bytes).substr(0, i)), ModelError);
      }
    }
  }
}

TEST_CASE("low_rank_path: each C as if trained alone; folds are scored on rows that were left out") {
  const Problem problem(3);
  auto params = params_of(40);
  params.tol = 1e-3;
  params.max_iter = 100000;
  std::vector<int> fold;
  for (Index i = 0; i < problem.p.n; ++i) fold.push_back(static_cast<int>(i % 4));
  const std::vector<double> C{0.1, 1, 10};
  const auto path = low_rank_path(problem.x(), problem.y.data(), params, C, 4, fold.data());
  REQUIRE(path.models.size() == 3);
  REQUIRE(path.scores.size() == 12);
  for (std::size_t c = 0; c < 3; ++c) {
    params.C = C[c];
    const auto alone = train_low_rank(problem.x(), problem.y.data(), params);
    CHECK(path.models[c].report().objective == doctest::Approx(alone.report().objective).epsilon(1e-4));
  }
  params.C = 1;
  std::vector<double> weight(problem.p.n, 1.0);  // fold 1 by hand: its rows get weight 0 and stay landmarks
  for (Index i = 1; i < problem.p.n; i += 4) weight[i] = 0;
  LowRankInputs inputs;
  inputs.sample_weight = weight.data();
  const auto model = train_low_rank(problem.x(), problem.y.data(), params, inputs);
  std::vector<double> labels(problem.p.n);
  predict(model, problem.x(), labels.data());
  double right = 0, count = 0;
  for (Index i = 1; i < problem.p.n; i += 4) {
    right += labels[i] == problem.y[i] ? 1 : 0;
    count += 1;
  }
  CHECK(path.scores[1 * 4 + 1] == doctest::Approx(right / count).epsilon(0.02));
}

TEST_CASE("train_low_rank: bad parameters and data name what is wrong") {
  const Problem problem;
  const auto fails = [&](const char* name, const LowRankParams& p, const LowRankInputs& inputs = {}) {
    CAPTURE(name);
    try {
      train_low_rank(problem.x(), problem.y.data(), p, inputs);
      FAIL_CHECK("no error");
    } catch (const Error& e) {
      CHECK(std::string(e.what()).find(name) != std::string::npos);
    }
  };
  const auto with = [&](auto change) {
    auto p = params_of(20);
    change(p);
    return p;
  };
  fails("C must", with([](auto& p) { p.C = 0; }));
  fails("tol must", with([](auto& p) { p.tol = -1; }));
  fails("gamma must", with([](auto& p) { p.kernel.gamma = -1; }));
  fails("n_landmarks must", with([](auto& p) { p.n_landmarks = 0; }));
  fails("only 600 rows", with([](auto& p) { p.n_landmarks = 601; }));
  fails("landmark_sample must", with([](auto& p) { p.landmark_sample = -1; }));
  fails("max_iter must", with([](auto& p) { p.max_iter = 0; }));
  fails("n_passes must", with([](auto& p) { p.n_passes = 0; }));
  fails("n_labelled must", with([](auto& p) { p.n_labelled = 1; }));
  fails("balance must", with([](auto& p) { p.balance = -0.1; }));
  fails("lambda must", with([](auto& p) { p.lambda = 0; }));
  fails("random Fourier", with([](auto& p) {
          p.features = LowRankFeatures::rks;
          p.kernel.type = KernelType::linear;
        }));
  fails("supervised needs", with([](auto& p) {
          p.features = LowRankFeatures::rks;
          p.supervised = true;
        }));
  fails("must hold the map", with([](auto& p) { p.cache_size = 0.01; }));
  fails("landmark_kernel is missing", with([](auto& p) { p.kernel.type = KernelType::precomputed; }));
  fails("positive semi-definite", with([](auto& p) { p.kernel = {KernelType::poly, 1, 1.0, -50.0}; }));
  const double two[] = {1, 2};
  const DataView narrow = dense(two, 1, 2);
  LowRankInputs inputs;
  inputs.landmarks = &narrow;
  fails("landmarks have 2 features", params_of(20), inputs);
  std::vector<double> alpha(600, 5.0);
  LowRankInputs start;
  start.warm_start_alpha = alpha.data();
  fails("warm_start_alpha[0, 0]", params_of(20), start);
}
