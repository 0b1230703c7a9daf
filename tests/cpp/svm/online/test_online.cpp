// train_online against what a hand or a second call finds: the first step, batches, the budget, and the way to the optimum.
#include <cmath>
#include <numeric>
#include <vector>

#include "dcsvm/online.hpp"
#include "doctest/doctest.h"
#include "svm/training.hpp"

using namespace dcsvm;
using training::Data;

namespace {

/// A checkerboard with the classes 0 and 1 as train_online numbers them.
Data board(Index n, std::uint64_t seed) {
  Data data = training::checkerboard(n, seed);
  for (double& y : data.y) y = y > 0 ? 0 : 1;
  return data;
}

OnlineResult learn(const Data& data, const TrainParams& params, const std::vector<double>& upper,
                   const OnlineInputs& given = {}) {
  OnlineInputs inputs = given;
  inputs.upper = upper.data();
  return train_online(data.view(), data.y.data(), params, inputs);
}

std::vector<Index> first_rows(Index n) {
  std::vector<Index> rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

/// What the next call is given of the state of the first n rows.
OnlineInputs known(const OnlineState& state, Index n) {
  OnlineInputs inputs;
  inputs.n_known = n;
  inputs.alpha = state.alpha.data();
  inputs.gradient = state.gradient.data();
  inputs.working = state.working.data();
  return inputs;
}

}  // namespace

TEST_CASE("online: the step of two rows") {
  Data two;
  two.n = 2;
  two.d = 1;
  two.x = {0, 1};
  two.y = {0, 1};
  const double k = std::exp(-0.5);
  for (const double C : {100.0, 0.5}) {
    const OnlineResult found = learn(two, training::rbf(0.5, C), {C, C});
    const double alpha = std::min(C, 1 / (1 - k));  // where both gradients are the same, or at the bound
    CHECK(found.state.alpha[0] == doctest::Approx(alpha).epsilon(1e-6));
    CHECK(found.state.alpha[1] == doctest::Approx(alpha).epsilon(1e-6));
    CHECK(found.state.gradient[0] == doctest::Approx(1 - alpha * (1 - k)).epsilon(1e-5));
    CHECK(found.model.report().stop_reason == StopReason::one_pass);
    CHECK(found.model.report().n_iter == 1);
    CHECK(found.model.report().problems.at(0).stop_reason == StopReason::one_pass);
  }
}

TEST_CASE("online: two batches are one") {
  Data all = board(400, 3);
  for (double& x : all.x) x = std::floor(4 * x) - 8;  // kernel values are whole numbers: no rounding
  TrainParams params = training::rbf(1.0, 0.01);
  params.kernel.type = KernelType::poly;
  params.kernel.degree = 2;
  params.kernel.coef0 = 1;
  params.precision = Precision::double_;
  const std::vector<double> upper(all.n, params.C);
  const OnlineResult whole = learn(all, params, upper);
  const Index cut = 150;
  const OnlineResult part = learn(all.rows(first_rows(cut)), params, upper);
  const OnlineResult after = learn(all, params, upper, known(part.state, cut));
  CHECK(after.state.alpha == whole.state.alpha);
  CHECK(after.state.working == whole.state.working);
  CHECK(whole.model.report().n_support > 30);

  OnlineInputs alone = known(whole.state, all.n);  // no new rows, and the gradient is computed from alpha
  alone.gradient = nullptr;
  const OnlineResult computed = learn(all, params, upper, alone);
  for (Index i = 0; i < all.n; ++i) {
    if (whole.state.working[i] != 0) CHECK(computed.state.gradient[i] == doctest::Approx(whole.state.gradient[i]).epsilon(1e-9));
  }
}

TEST_CASE("online: alpha is feasible and leads train to the optimum") {
  const Data data = board(500, 5);
  TrainParams params = training::rbf(2.0, 4.0);
  params.tol = 1e-5;
  const std::vector<double> upper(data.n, params.C);
  const OnlineResult found = learn(data, params, upper);
  const auto passed = training::certify(data, found.model, 0, 0, 1, upper, true);
  CHECK(passed.feasible);
  CHECK(std::abs(passed.balance) < 1e-9);
  TrainInputs start;
  start.warm_start_alpha = found.state.alpha.data();
  const Model ended = training::train(data, params, start);
  const Model exact = training::train(data, params);
  CHECK(ended.report().stop_reason == StopReason::converged);
  CHECK(ended.report().objective == doctest::Approx(exact.report().objective).epsilon(1e-6));
  CHECK(found.model.report().objective >= exact.report().objective - 1e-6 * std::abs(exact.report().objective));
}

TEST_CASE("online: a budget forgets rows and keeps the balance") {
  const Data data = board(600, 7);
  const TrainParams params = training::rbf(2.0, 4.0);
  const std::vector<double> upper(data.n, params.C);
  OnlineInputs inputs;
  inputs.budget = 40;
  const OnlineResult found = learn(data, params, upper, inputs);
  CHECK(std::accumulate(found.state.working.begin(), found.state.working.end(), 0) <= 40);
  const auto c = training::certify(data, found.model, 0, 0, 1, upper, true);
  CHECK(c.feasible);
  CHECK(std::abs(c.balance) < 1e-9);
}

TEST_CASE("online: three classes, one of which comes late") {
  Data data = training::blobs(240, 2, 3, 1);
  for (Index i = 0; i < data.n; ++i) data.y[i] -= 10;
  const TrainParams params = training::rbf(1.0, 2.0);
  const std::vector<double> upper(data.n, params.C);
  std::vector<Index> two;
  for (Index i = 0; i < data.n; ++i) {
    if (data.y[i] < 2) two.push_back(i);
  }
  OnlineInputs inputs;
  inputs.n_classes = 3;
  const Data early = data.rows(two);
  const OnlineResult found = learn(early, params, upper, inputs);
  REQUIRE(found.state.alpha.size() == 3U * two.size());
  std::vector<double> labels(early.n);
  predict(found.model, early.view(), labels.data());
  for (const double label : labels) CHECK(label < 2);  // a pair with rows of one class predicts that class
  for (std::size_t i = two.size(); i < found.state.alpha.size(); ++i) CHECK(found.state.alpha[i] == 0);
}

TEST_CASE("online: what is refused") {
  const Data data = board(20, 1);
  const TrainParams params = training::rbf(1.0, 1.0);
  const std::vector<double> ones(20, 1.0), zeros(20, 0.0), twos(20, 2.0);
  const auto parameter = [&](const OnlineInputs& inputs) {
    return training::message_of<ParameterError>([&] { train_online(data.view(), data.y.data(), params, inputs); });
  };
  CHECK(parameter({}).find("upper is null") != std::string::npos);
  OnlineInputs inputs;
  inputs.upper = ones.data();
  inputs.n_classes = 1;
  CHECK(parameter(inputs).find("n_classes must be at least 2, got 1") != std::string::npos);
  inputs.n_classes = 2;
  for (const Index n : {Index{-1}, Index{21}, Index{5}}) {
    inputs.n_known = n;  // 5 without alpha
    CHECK(parameter(inputs).find("n_known must be between 0 and the rows of X") != std::string::npos);
  }
  const auto wrong = [&](const OnlineInputs& given, const std::vector<double>& upper) {
    return training::message_of<DataError>([&] { learn(data, params, upper, given); });
  };
  CHECK(wrong({}, zeros).find("upper must be finite and > 0") != std::string::npos);
  inputs.n_known = 20;
  inputs.alpha = twos.data();
  CHECK(wrong(inputs, ones).find("alpha[0, 0] must be within [0, upper]") != std::string::npos);
  Data odd = data;
  odd.y[3] = 0.5;
  CHECK(training::message_of<DataError>([&] { learn(odd, params, ones); }).find("y must hold classes 0 .. n_classes - 1") !=
        std::string::npos);
  TrainParams precomputed = params;
  precomputed.kernel.type = KernelType::precomputed;
  CHECK(training::message_of<ParameterError>([&] { learn(data, precomputed, ones); }).find("precomputed") != std::string::npos);
}
