// Calibration against a plain twin: train on each fold, decide its held-out rows, fit.
#include <cmath>
#include <numeric>
#include <vector>

#include "doctest/doctest.h"
#include "svm/probability/platt.hpp"
#include "svm/training.hpp"

using namespace dcsvm;

TEST_CASE("sigmoids of an exact model: as from separate trainings on the same folds") {
  const auto data = training::checkerboard(300, 3, 0.1);
  auto params = training::rbf(2, 5);
  params.tol = 1e-6;
  params.precision = Precision::double_;
  params.probability = true;
  params.seed = 4;
  const Model model = train(data, params);
  params.probability = false;
  std::vector<double> codes;
  codes.reserve(data.y.size());  // classes by position, as the folds are drawn
  for (const double y : data.y) codes.push_back(y > 0 ? 1 : 0);
  std::vector<double> f;
  std::vector<char> first;
  for (const Fold& fold : make_folds(codes.data(), data.n, 5, true, 4)) {
    const auto part = data.rows(fold.train), rest = data.rows(fold.test);
    std::vector<double> decisions(rest.n);
    decision_function(train(part, params), rest.view(), decisions.data());
    f.insert(f.end(), decisions.begin(), decisions.end());
    for (const double y : rest.y) first.push_back(y < 0 ? 1 : 0);
  }
  const auto [a, b] = svm::fit_sigmoid(f, first);
  CHECK(model.calibration().a[0] == doctest::Approx(a).epsilon(1e-4));
  CHECK(model.calibration().b[0] == doctest::Approx(b).epsilon(1e-4));
}

TEST_CASE("probabilities: sums, seeds, threads, what has none") {
  const auto data = training::blobs(240, 3, 4, 3, 2.0);
  auto params = training::rbf(0.5, 1);
  params.probability = true;
  const Model model = train(data, params);
  CHECK(probability_columns(model) == 4);
  CHECK(model.calibration().a.size() == 6);
  std::vector<double> p(data.n * 4), decisions(static_cast<std::size_t>(data.n * 6)), again(p.size());
  predict_proba(model, data.view(), p.data());
  for (std::size_t i = 0; i < p.size(); i += 4) {
    CHECK(std::accumulate(p.begin() + static_cast<Index>(i), p.begin() + static_cast<Index>(i) + 4, 0.0) == doctest::Approx(1.0));
  }
  decision_function(model, data.view(), decisions.data());
  probabilities(model, decisions.data(), data.n, again.data());
  CHECK(p == again);
  params.n_threads = 1;
  CHECK(train(data, params).calibration().a == model.calibration().a);
  params.seed = 1;
  CHECK(train(data, params).calibration().a != model.calibration().a);
  params.probability = false;
  CHECK_THROWS_AS(predict_proba(train(data, params), data.view(), p.data()), DataError);
  CHECK(train(data, params).calibration().empty());
}

TEST_CASE("rows of weight 0 do not take part in a calibration, and a class may have fewer rows than folds") {
  auto data = training::blobs(120, 2, 2, 8, 2.0);
  auto params = training::rbf(1, 1);
  params.probability = true;
  std::vector<double> weight(data.n, 1.0);
  for (std::size_t i = 0; i < 20; ++i) {
    weight[i] = 0;
    data.x[2 * i] = 1e3;  // would ruin the fit
  }
  std::vector<Index> rest;
  for (Index i = 20; i < data.n; ++i) rest.push_back(i);
  const Model weighted = train(data, params, {weight.data(), nullptr}), less = train(data.rows(rest), params);
  CHECK(weighted.calibration().a[0] == doctest::Approx(less.calibration().a[0]).epsilon(0.02));
  Index left = 2;
  for (std::size_t i = 20; i < weight.size(); ++i) {
    if (data.y[i] == 10 && --left < 0) weight[i] = 0;
  }
  const Model rare = train(data, params, {weight.data(), nullptr});
  CHECK(std::isfinite(rare.calibration().a[0]));
  CHECK(std::isfinite(rare.calibration().b[0]));
}
