// Cold starts of many variables begin on a random sample of them (qp/block_sample.cpp). shrinking = false never does, so it
// is the twin: the whole problem's certificate and objective must not tell the two apart, however little the sample says.
#include "doctest/doctest.h"
#include "svm/training.hpp"

using namespace dcsvm;
using training::Data;

namespace {

constexpr Index kMany = 9000;

void check_against_plain(const Data& data, TrainParams params, const TrainInputs& inputs = {}) {
  params.tol = 1e-4;
  for (const bool bias : {true, false}) {
    params.fit_intercept = bias;
    params.shrinking = true;
    const Model sampled = training::train(data, params, inputs);
    params.shrinking = false;
    const Model plain = training::train(data, params, inputs);
    CHECK(sampled.report().stop_reason == StopReason::converged);
    CHECK(sampled.report().violation < params.tol);
    CHECK(sampled.report().objective == doctest::Approx(plain.report().objective).epsilon(1e-5));
  }
}

}  // namespace

TEST_CASE("sample start: overlapping classes, many support vectors") {
  const Data data = training::checkerboard(kMany, 3, 0.1);
  const TrainParams params = training::rbf(2.0, 1.0);
  check_against_plain(data, params);
  const Model model = training::train(data, params);
  const auto c = training::certify(data, model, 0, 1, -1, std::vector<double>(data.n, params.C), true);
  CHECK(c.feasible);
  CHECK(c.violation < 1.1 * params.tol);
}

TEST_CASE("sample start: a class that the sample hardly meets") {
  Data data = training::checkerboard(kMany, 5);
  for (Index i = 0; i < data.n; ++i) data.y[i] = i % 3000 == 7 ? 1.0 : -1.0;
  check_against_plain(data, training::rbf(1.0, 1.0));
}

TEST_CASE("sample start: a class that the sample misses") {
  Data data = training::checkerboard(kMany, 5);
  for (const double rare : {1.0, -1.0}) {  // the sample goes by position; the rare class is first or last
    for (const Index members : {2, 3, 4, 5}) {
      for (Index i = 0; i < data.n; ++i) data.y[i] = i < members ? rare : -rare;
      const Model model = training::train(data, training::rbf(1.0, 1.0));
      CHECK(model.report().stop_reason == StopReason::converged);
      const auto c = training::certify(data, model, 0, 1, -1, std::vector<double>(data.n, 1.0), true);
      CHECK(c.feasible);
      CHECK(c.violation < 1.1e-3);
    }
  }
}

TEST_CASE("sample start: rows without weight stay out") {
  const Data data = training::checkerboard(kMany, 7);
  std::vector<double> weight(data.n, 0.0);
  for (Index i = 0; i < data.n; i += 3) weight[i] = 1.0;
  TrainInputs inputs;
  inputs.sample_weight = weight.data();
  check_against_plain(data, training::rbf(1.0, 1.0), inputs);
}
