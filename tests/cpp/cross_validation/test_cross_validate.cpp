// Cross-validation in C++: folds, held-out values against separate trainings, bad folds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "svm/training.hpp"

using namespace dcsvm;

namespace {

// decision_function of a model trained on the fold alone, for the fold's test rows.
std::vector<double> alone(const training::Data& data, const TrainParams& params, const Fold& fold) {
  const auto train_rows = data.rows(fold.train), test_rows = data.rows(fold.test);
  const Model model = train(train_rows.view(), train_rows.y.data(), params);
  std::vector<double> out(test_rows.n * decision_columns(model));
  decision_function(model, test_rows.view(), out.data());
  return out;
}

std::string refusal(const training::Data& data, const TrainParams& params, const Grid& grid, const std::vector<Fold>& folds) {
  std::vector<double> out(100000);
  try {
    cross_validate(data.view(), data.y.data(), params, grid, folds, HeldOut::predictions, out.data());
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("folds: every row is tested once, classes in equal parts, by seed") {
  std::vector<double> y;
  y.reserve(103);
  for (int i = 0; i < 103; ++i) y.push_back(i % 10 == 0 ? 2 : i % 3);
  const Index n = static_cast<Index>(y.size());
  for (const bool stratified : {true, false}) {
    const auto folds = make_folds(y.data(), n, 4, stratified, 9);
    std::vector<int> tested(y.size(), 0);
    std::map<double, std::vector<int>> parts;
    for (const Fold& fold : folds) {
      CHECK(fold.train.size() + fold.test.size() == y.size());
      CHECK(std::is_sorted(fold.train.begin(), fold.train.end()));
      std::map<double, int> count;
      for (const Index i : fold.test) {
        ++tested[i];
        ++count[y[i]];
        CHECK(!std::binary_search(fold.train.begin(), fold.train.end(), i));
      }
      for (const auto& [label, c] : count) parts[label].push_back(c);
    }
    CHECK(std::all_of(tested.begin(), tested.end(), [](int t) { return t == 1; }));
    if (!stratified) continue;
    for (const auto& [label, counts] : parts) {
      CHECK(*std::max_element(counts.begin(), counts.end()) - *std::min_element(counts.begin(), counts.end()) <= 1);
    }
  }
  CHECK(make_folds(y.data(), n, 4, true, 9)[1].test == make_folds(y.data(), n, 4, true, 9)[1].test);
  CHECK(make_folds(y.data(), n, 4, true, 9)[1].test != make_folds(y.data(), n, 4, true, 10)[1].test);
  CHECK(make_folds(y.data(), n, static_cast<int>(n), true, 1).size() == y.size());  // leave one out
  CHECK_THROWS_AS(make_folds(y.data(), n, 1, true, 1), ParameterError);
  CHECK_THROWS_AS(make_folds(y.data(), n, 104, true, 1), ParameterError);
}

TEST_CASE("folds: a label that is not finite is an error that names the row, and is not read where classes do not matter") {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    const std::vector<double> y{0, 1, bad, 1, 0, 0};
    CHECK_THROWS_WITH_AS(make_folds(y.data(), 6, 2, true, 1),
                         (std::string("y has ") + (bad > 0 ? "infinity" : "NaN") + " at row 2").c_str(), DataError);
    CHECK(make_folds(y.data(), 6, 2, false, 1).size() == 2);
  }
}

TEST_CASE("held-out decision values are those of models trained fold by fold") {
  for (const int classes : {2, 4}) {
    const auto data = training::blobs(400, 5, classes, 3);
    auto params = training::rbf(0.7, 1);
    params.tol = 1e-6;
    params.precision = Precision::double_;
    const auto folds = make_folds(data.y.data(), data.n, 3, true, 1);
    const Grid grid{{10, 0.1, 1}, {0.2, 1.5}};
    const Index columns = held_out_columns(data.y.data(), data.n, params, HeldOut::decisions);
    std::vector<double> out(6 * data.n * columns);
    const auto report = cross_validate(data.view(), data.y.data(), params, grid, folds, HeldOut::decisions, out.data());
    CHECK(report.n_fits == 18);
    CHECK(report.n_unconverged == 0);
    CHECK(report.violation < params.tol);
    const double* next = out.data();
    for (const double gamma : grid.gamma) {
      for (const double C : grid.C) {
        params.kernel.gamma = gamma;
        params.C = C;
        for (const Fold& fold : folds) {
          for (const double wanted : alone(data, params, fold)) CHECK(std::abs(*next++ - wanted) < 1e-4);
        }
      }
    }
  }
}

TEST_CASE("large folds: as trained alone, for any number of threads and memory") {
  const auto data = training::checkerboard(6100, 7, 0.02);
  auto params = training::rbf(4, 1);
  params.tol = 1e-4;
  const auto folds = make_folds(data.y.data(), data.n, 3, true, 1);
  const Grid grid{{4, 0.5}, {}};
  std::vector<double> weight(data.n);
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = i % 9 == 0 ? 0.0 : 0.5 + static_cast<double>(i % 5);
  for (const bool plain : {true, false}) {
    params.fit_intercept = plain;
    TrainInputs inputs;
    if (!plain) inputs.sample_weight = weight.data();
    std::vector<std::vector<double>> all;
    for (const int threads : {1, 2}) {
      params.n_threads = threads;
      all.emplace_back(static_cast<std::size_t>(2 * data.n));
      const auto report =
          cross_validate(data.view(), data.y.data(), params, grid, folds, HeldOut::decisions, all.back().data(), inputs);
      CHECK(report.violation < params.tol);
      CHECK(report.n_unconverged == 0);
    }
    CHECK(all[0] == all[1]);
    params.cache_size = 16;  // nothing is kept
    std::vector<double> small(all[0].size());
    cross_validate(data.view(), data.y.data(), params, grid, folds, HeldOut::decisions, small.data(), inputs);
    params.cache_size = 100;
    auto own = params;
    own.C = grid.C[0];
    double apart = 0, moved = 0;
    std::size_t next = 0;
    for (const Fold& fold : folds) {
      const auto train_rows = data.rows(fold.train), test_rows = data.rows(fold.test);
      std::vector<double> own_weight;
      for (const Index i : fold.train) own_weight.push_back(weight[i]);
      TrainInputs own_inputs;
      if (!plain) own_inputs.sample_weight = own_weight.data();
      const auto wanted = training::decisions(training::train(train_rows, own, own_inputs), test_rows.view());
      for (const double d : wanted) apart = std::max(apart, std::abs(d - all[0][next++]));
    }
    for (std::size_t t = 0; t < small.size(); ++t) moved = std::max(moved, std::abs(small[t] - all[0][t]));
    CHECK(apart < 5e-3);
    CHECK(moved < 5e-3);
  }
}

TEST_CASE("cross-validation does not depend on threads or memory") {
  const auto data = training::blobs(500, 80, 3, 4);  // wide enough for kept rows
  auto params = training::rbf(0.02, 1);
  const auto folds = make_folds(data.y.data(), data.n, 4, true, 2);
  const Grid grid{{0.5, 5}, {0.01, 0.05, 0.2}};
  std::vector<std::vector<double>> all;
  for (const int threads : {1, 2, 3}) {
    params.n_threads = threads;
    all.emplace_back(static_cast<std::size_t>(6 * data.n * 3));
    cross_validate(data.view(), data.y.data(), params, grid, folds, HeldOut::decisions, all.back().data());
  }
  CHECK(all[0] == all[1]);
  CHECK(all[0] == all[2]);
  params.cache_size = 4;  // few rows are kept
  std::vector<double> small(all[0].size());
  cross_validate(data.view(), data.y.data(), params, grid, folds, HeldOut::decisions, small.data());
  double worst = 0;
  for (std::size_t i = 0; i < small.size(); ++i) worst = std::max(worst, std::abs(small[i] - all[0][i]));
  CHECK(worst < 0.02);
}

TEST_CASE("held-out decision values along C, from all coefficients at their bounds on, are those of each C alone") {
  const auto data = training::blobs(700, 70, 2, 6);  // wide enough for kept rows, of floats and of doubles
  auto params = training::rbf(0.01, 1);
  params.tol = 1e-5;
  const auto folds = make_folds(data.y.data(), data.n, 3, true, 1);
  Grid grid;
  for (int k = -18; k <= 6; ++k) grid.C.push_back(std::pow(2.0, k));
  std::vector<double> out(grid.C.size() * static_cast<std::size_t>(data.n)), again(out.size());
  params.n_threads = 1;
  const auto report = cross_validate(data.view(), data.y.data(), params, grid, folds, HeldOut::decisions, out.data());
  CHECK(report.n_unconverged == 0);
  CHECK(report.violation < params.tol);
  params.n_threads = 2;
  cross_validate(data.view(), data.y.data(), params, grid, folds, HeldOut::decisions, again.data());
  CHECK(out == again);
  double worst = 0;
  const double* next = out.data();
  for (const double C : grid.C) {
    params.C = C;
    for (const Fold& fold : folds) {
      for (const double wanted : alone(data, params, fold)) worst = std::max(worst, std::abs(*next++ - wanted));
    }
  }
  CHECK(worst < 1e-3);
}

TEST_CASE("a fold without a class, and with one class alone") {
  training::Data data = training::blobs(60, 2, 3, 5);
  std::vector<Index> of[3];
  for (Index i = 0; i < data.n; ++i) of[static_cast<int>(data.y[i]) - 10].push_back(i);
  Fold two, one;
  two.train = of[0];
  two.train.insert(two.train.end(), of[2].begin(), of[2].end());
  two.test = of[1];
  one.train = of[1];
  one.test = of[0];
  const auto params = training::rbf(1, 1);
  for (auto solver : {SolverType::smo, SolverType::dc}) {  // dc: trained fold by fold
    auto own = params;
    own.solver = solver;
    std::vector<double> out(two.test.size() + one.test.size()), decisions(out.size() * 3);
    cross_validate(data.view(), data.y.data(), own, {}, {two, one}, HeldOut::predictions, out.data());
    for (std::size_t t = 0; t < two.test.size(); ++t) CHECK((out[t] == 10 || out[t] == 12));
    for (std::size_t t = two.test.size(); t < out.size(); ++t) CHECK(out[t] == 11);
    cross_validate(data.view(), data.y.data(), own, {}, {two, one}, HeldOut::decisions, decisions.data());
    for (std::size_t t = 0; t < two.test.size(); ++t) {
      CHECK(decisions[3 * t] == 1);       // class 10 against the absent 11
      CHECK(decisions[3 * t + 2] == -1);  // the absent 11 against 12
      CHECK((decisions[3 * t + 1] > 0) == (out[t] == 10));
    }
    for (std::size_t t = two.test.size(); t < out.size(); ++t) {
      CHECK(decisions[3 * t] == -1);
      CHECK(decisions[3 * t + 1] == 0);
      CHECK(decisions[3 * t + 2] == 1);
    }
  }
}

TEST_CASE("cross-validation refuses bad folds and grids") {
  const auto data = training::blobs(40, 2, 2, 5);
  const auto params = training::rbf(1, 1);
  const auto good = make_folds(data.y.data(), data.n, 2, true, 1);
  CHECK(refusal(data, params, {}, good).empty());
  CHECK(refusal(data, params, {}, {}) == "folds must hold at least one fold");
  CHECK(refusal(data, params, {}, {{{0, 1}, {}}}) == "folds: fold 0 has no test rows");
  CHECK(refusal(data, params, {}, {{{}, {1}}}) == "folds: fold 0 has no train rows");
  CHECK(refusal(data, params, {}, {good[0], {{0, 40}, {1}}}) == "folds: fold 1 has train row 40, but rows are 0 to 39");
  CHECK(refusal(data, params, {}, {{{0, 1}, {-1}}}) == "folds: fold 0 has test row -1, but rows are 0 to 39");
  CHECK(refusal(data, params, {}, {{{0, 1}, {1}}}) == "folds: fold 0 has row 1 twice in train and test");
  CHECK(refusal(data, params, {{1, -1}, {}}, good) == "C must hold finite numbers > 0, got -1 at position 1");
  CHECK(refusal(data, params, {{}, {std::nan("")}}, good) == "gamma must hold finite numbers > 0, got nan at position 0");
  auto wrong = params;
  wrong.probability = true;
  CHECK(refusal(data, wrong, {}, good).find("probability") == 0);
  auto same = data;
  std::fill(same.y.begin(), same.y.end(), 1.0);
  CHECK(!refusal(same, params, {}, good).empty());
  auto hole = data;
  hole.x[7] = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal(hole, params, {}, good).find("row 3") != std::string::npos);
}

TEST_CASE("cross-validation can be interrupted and cancelled") {
  const auto data = training::checkerboard(60000, 3);  // many times the 50 ms between polls
  const auto params = training::rbf(4, 10);
  std::vector<double> out(data.n);
  Hooks stop;
  stop.interrupted = [] { return true; };
  CHECK_THROWS_AS(cross_validate(data.view(), data.y.data(), params, 5, out.data(), {}, stop), Interrupted);
  Hooks cancel;
  cancel.progress = [](const Progress&) { return true; };
  CHECK_THROWS_AS(cross_validate(data.view(), data.y.data(), params, 5, out.data(), {}, cancel), Interrupted);
}
