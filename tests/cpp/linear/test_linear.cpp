// Linear models: every solver is certified by its duality gap, formed plainly here, and compared with the other solver of the
// same problem.
#include "dcsvm/linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "dcsvm/any_model.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "doctest/doctest.h"
#include "linear/samples.hpp"

using namespace dcsvm;
using test::kSolvers;
using test::labels;
using test::params_of;
using test::Sample;

namespace {

/// Whose objective is one of several weight vectors, which objective() below does not form.
bool is_joint(LinearSolver solver) { return solver == LinearSolver::crammer_singer || solver == LinearSolver::multinomial; }

double loss(LinearSolver s, double y, double z, double epsilon) {
  const double hinge = std::max(0.0, 1 - y * z), tube = std::max(0.0, std::abs(y - z) - epsilon);
  switch (s) {
    case LinearSolver::logistic:
    case LinearSolver::logistic_dual:
    case LinearSolver::multinomial:
    case LinearSolver::l1_logistic: return std::log(1 + std::exp(-y * z));
    case LinearSolver::hinge_dual: return hinge;
    case LinearSolver::svr_squared:
    case LinearSolver::svr_squared_dual: return tube * tube;
    case LinearSolver::svr_dual: return tube;
    case LinearSolver::squared_hinge_dual:
    case LinearSolver::squared_hinge:
    case LinearSolver::l1_squared_hinge:
    case LinearSolver::crammer_singer:
    case LinearSolver::one_class: break;
  }
  return hinge * hinge;
}

// The primal objective of a problem with one weight vector, formed plainly; classes 0 and 1.
double objective(const Sample& s, const LinearModel& m, const LinearParams& p, const double* weight = nullptr) {
  const bool l1 = p.solver == LinearSolver::l1_logistic || p.solver == LinearSolver::l1_squared_hinge;
  double sum = 0;
  for (Index j = 0; j < static_cast<Index>(m.w().size()); ++j) {
    if (j < s.d || p.regularize_bias) sum += l1 ? std::abs(m.w()[j]) : 0.5 * m.w()[j] * m.w()[j];
  }
  for (Index i = 0; i < s.n; ++i) {
    double z = m.bias() >= 0 ? m.bias() * m.w()[s.d] : 0.0;
    for (Index j = 0; j < s.d; ++j) z += m.w()[j] * s.x[i * s.d + j];
    const double y = is_regression(p.solver) ? s.target[i] : s.y[i] == m.classes()[0] ? 1.0 : -1.0;
    sum += p.C * (weight != nullptr ? weight[i] : 1.0) * loss(p.solver, y, z, p.epsilon);
  }
  return sum;
}

}  // namespace

TEST_CASE("linear: the duality gap closes, for every solver, sparse and dense, with and without bias") {
  for (const auto& [n, columns, density] : {std::tuple<Index, Index, double>{300, 12, 0.9}, {200, 400, 0.05}}) {
    const Index d = columns;  // lambdas, as in CAPTURE, may not capture bindings in C++17
    const Sample s(n, d, 2, density, 1);
    for (const LinearSolver solver : kSolvers) {
      for (const double bias : {-1.0, 1.0, 2.5}) {
        if (solver == LinearSolver::one_class && bias >= 0) continue;
        CAPTURE(std::string(name_of(solver)));
        CAPTURE(bias);
        CAPTURE(d);
        LinearParams p = params_of(solver);
        p.C = 0.7;
        p.bias = bias;
        const LinearModel m = train_linear(s.csr(), labels(s, solver), p);
        const LinearReport& r = m.report();
        CHECK(r.stop_reason == StopReason::converged);
        const double scale = std::max(1.0, std::abs(r.primal_objective));
        CHECK(r.primal_objective - r.dual_objective >= -1e-9 * scale);
        CHECK(r.primal_objective - r.dual_objective < 1e-4 * scale);
        if (solver != LinearSolver::one_class && !is_joint(solver))
          CHECK(r.primal_objective == doctest::Approx(objective(s, m, p)).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("linear: two solvers of one problem agree") {
  const Sample s(400, 20, 2, 0.5, 2);
  for (const auto& [primal, b] : {std::pair{LinearSolver::squared_hinge, LinearSolver::squared_hinge_dual},
                                  {LinearSolver::logistic, LinearSolver::logistic_dual},
                                  {LinearSolver::svr_squared, LinearSolver::svr_squared_dual}}) {
    const LinearSolver a = primal;
    CAPTURE(std::string(name_of(a)));
    const LinearModel ma = train_linear(s.csr(), labels(s, a), params_of(a, 1e-9));
    const LinearModel mb = train_linear(s.csr(), labels(s, b), params_of(b, 1e-7));
    REQUIRE(ma.w().size() == mb.w().size());
    for (std::size_t j = 0; j < ma.w().size(); ++j) CHECK(ma.w()[j] == doctest::Approx(mb.w()[j]).epsilon(1e-4));
  }
}

TEST_CASE("linear: storage, precision and threads do not change the answer") {
  for (const Index d : {15, 600}) {
    const Sample s(500, d, 3, d == 15 ? 0.8 : 0.04, 3);
    for (const LinearSolver solver : kSolvers) {
      CAPTURE(std::string(name_of(solver)));
      LinearParams p = params_of(solver, 1e-3);
      const auto w = train_linear(s.csr(), labels(s, solver), p).w();
      p.n_threads = 3;
      CHECK(train_linear(s.csr(), labels(s, solver), p).w() == w);
      CHECK(train_linear(s.dense64(), labels(s, solver), p).w() == w);
      CHECK(train_linear(s.dense32(), labels(s, solver), p).w() == w);
      CHECK(train_linear(s.csr32_wide(), labels(s, solver), p).w() == w);
    }
  }
}

TEST_CASE("linear: what is said of a solution is of X as it came, not of the floats that the passes read") {
  for (const auto& [n, columns, density] : {std::tuple<Index, Index, double>{300, 12, 0.4}, {200, 400, 0.05}}) {
    const Index d = columns;  // lambdas, as in CAPTURE, may not capture bindings in C++17
    Sample s(n, d, 2, density, 5);
    for (double& v : s.x) v /= 3.0;
    for (double& v : s.values) v /= 3.0;
    for (const LinearSolver solver : kSolvers) {
      CAPTURE(std::string(name_of(solver)));
      CAPTURE(d);
      LinearParams p = params_of(solver, 0.0);
      const LinearModel loose = train_linear(s.csr(), labels(s, solver), p);
      p.n_threads = 3;
      CHECK(train_linear(s.csr(), labels(s, solver), p).w() == loose.w());
      const LinearModel tight = train_linear(s.csr(), labels(s, solver), params_of(solver));
      const double least = tight.report().dual_objective, scale = std::max(1.0, std::abs(least));
      CHECK(loose.report().primal_objective >= least - 1e-12 * scale);
      CHECK(loose.report().dual_objective <= tight.report().primal_objective + 1e-12 * scale);
      if (solver != LinearSolver::one_class && !is_joint(solver))
        CHECK(loose.report().primal_objective == doctest::Approx(objective(s, loose, p)).epsilon(1e-12));
    }
  }
}

TEST_CASE("linear: a start from a sample of the rows ends where a start from zero does, for any number of threads") {
  const Sample s(4000, 6, 2, 0.6, 6);
  for (const LinearSolver solver : {LinearSolver::logistic, LinearSolver::squared_hinge, LinearSolver::svr_squared}) {
    CAPTURE(std::string(name_of(solver)));
    LinearParams p = params_of(solver, 1e-8);
    const LinearModel sampled = train_linear(s.csr(), labels(s, solver), p);
    p.n_threads = 2;
    CHECK(train_linear(s.csr(), labels(s, solver), p).w() == sampled.w());
    const std::vector<double> zero(7, 0.0);
    LinearInputs from_zero;
    from_zero.initial_w = zero.data();
    const LinearModel plain = train_linear(s.csr(), labels(s, solver), p, from_zero);
    for (std::size_t j = 0; j < 7; ++j) CHECK(sampled.w()[j] == doctest::Approx(plain.w()[j]).epsilon(1e-6));
    CHECK(sampled.report().primal_objective - sampled.report().dual_objective <= 1e-6 * sampled.report().primal_objective);
  }
}

TEST_CASE("linear: sample weights are repeated rows, class weights are factors of C") {
  const Sample s(150, 8, 2, 0.9, 4);
  std::vector<double> weight, x2, y2, t2;
  for (Index i = 0; i < s.n; ++i) {
    weight.push_back(static_cast<double>(i % 3));
    for (Index k = 0; k < i % 3; ++k) {
      x2.insert(x2.end(), s.x.begin() + i * s.d, s.x.begin() + (i + 1) * s.d);
      y2.push_back(s.y[i]);
      t2.push_back(s.target[i]);
    }
  }
  for (const LinearSolver solver : kSolvers) {
    if (solver == LinearSolver::one_class) continue;
    CAPTURE(std::string(name_of(solver)));
    const LinearParams p = params_of(solver, 1e-7);
    LinearInputs inputs;
    inputs.sample_weight = weight.data();
    const auto a = train_linear(s.dense64(), labels(s, solver), p, inputs);
    const auto& targets = is_regression(solver) ? t2 : y2;
    const auto b = train_linear(dense(x2.data(), static_cast<Index>(targets.size()), s.d), targets.data(), p);
    CHECK(a.report().primal_objective == doctest::Approx(b.report().primal_objective).epsilon(1e-6));
    if (!is_classifier(solver)) continue;
    LinearParams weighted = p;
    weighted.class_weight = {{0.0, 3.0}, {1.0, 0.5}};
    for (Index i = 0; i < s.n; ++i) weight[i] = s.y[i] == 0 ? 3.0 : 0.5;
    const auto c = train_linear(s.dense64(), s.y.data(), weighted);
    const auto e = train_linear(s.dense64(), s.y.data(), p, inputs);
    CHECK(c.report().primal_objective == doctest::Approx(e.report().primal_objective).epsilon(1e-9));
    for (Index i = 0; i < s.n; ++i) weight[i] = static_cast<double>(i % 3);
  }
}

TEST_CASE("linear: predictions follow the decisions, files keep the model") {
  const Sample s(300, 10, 4, 0.9, 5);
  for (const LinearSolver solver : kSolvers) {
    CAPTURE(std::string(name_of(solver)));
    const LinearModel m = train_linear(s.csr(), labels(s, solver), params_of(solver, 1e-2));
    const Index k = decision_columns(m);
    std::vector<double> dec(s.n * k), label(s.n), same(s.n * k);
    decision_function(m, s.csr(), dec.data());
    predict(m, s.dense32(), label.data());
    for (Index i = 0; i < s.n; ++i) {
      const double* row = dec.data() + i * k;
      const double expected = is_regression(solver)               ? row[0]
                              : solver == LinearSolver::one_class ? (row[0] > 0 ? 1.0 : -1.0)
                                                                  : m.classes()[std::max_element(row, row + k) - row];
      CHECK(label[i] == doctest::Approx(expected));
    }
    if (has_probabilities(solver)) {
      std::vector<double> p(s.n * 4);
      predict_proba(m, s.csr(), p.data());
      for (Index i = 0; i < s.n; ++i) CHECK(p[4 * i] + p[4 * i + 1] + p[4 * i + 2] + p[4 * i + 3] == doctest::Approx(1.0));
    } else {
      CHECK_THROWS_AS(predict_proba(m, s.csr(), dec.data()), DataError);
    }
    const AnyModel loaded = any_model_from_bytes(model_to_bytes(m));
    decision_function(std::get<LinearModel>(loaded), s.csr(), same.data());
    CHECK(same == dec);
    CHECK(std::get<LinearModel>(loaded).report().problems.size() == m.report().problems.size());
    CHECK(holds<LinearModel>(model_to_bytes(m)));
  }
}

TEST_CASE("linear: the bias outside of the norm, and a start") {
  const Sample s(300, 10, 2, 0.9, 6);
  for (const LinearSolver solver : {LinearSolver::logistic, LinearSolver::squared_hinge, LinearSolver::l1_squared_hinge,
                                    LinearSolver::l1_logistic, LinearSolver::svr_squared}) {
    CAPTURE(std::string(name_of(solver)));
    LinearParams p = params_of(solver, 1e-7);
    p.regularize_bias = false;
    p.C = 0.01;
    const LinearModel m = train_linear(s.csr(), labels(s, solver), p);
    const double best = objective(s, m, p);
    auto moved = m.w();
    for (const double step : {1e-3, -1e-3}) {
      moved[s.d] = m.w()[s.d] + step;
      CHECK(objective(s, make_linear_model(solver, m.classes(), s.d, 1.0, 0.0, moved), p) >= best);
    }
    LinearInputs inputs;
    inputs.initial_w = m.w().data();
    p.tol = 1e-5;
    CHECK(train_linear(s.csr(), labels(s, solver), p, inputs).report().n_iter == 0);
  }
}

TEST_CASE("linear: order of the classes, one class, no rows") {
  const Sample s(60, 5, 2, 0.9, 7);
  const LinearParams p = params_of(LinearSolver::squared_hinge, 1e-6);
  LinearInputs inputs;
  inputs.classes = {1.0, 0.0};
  const LinearModel a = train_linear(s.csr(), s.y.data(), p), b = train_linear(s.csr(), s.y.data(), p, inputs);
  CHECK(b.classes() == std::vector<double>{1.0, 0.0});
  for (std::size_t j = 0; j < a.w().size(); ++j) CHECK(a.w()[j] == doctest::Approx(-b.w()[j]));
  const std::vector<double> same(60, 3.0);
  inputs.classes = {3.0};
  const LinearModel one = train_linear(s.csr(), same.data(), p, inputs);
  std::vector<double> label(60);
  predict(one, s.csr(), label.data());
  CHECK(label == same);
  CHECK_THROWS_AS(train_linear(s.csr(), same.data(), p), DataError);
  CHECK_THROWS_AS(train_linear(s.csr(), s.y.data(), p, inputs), DataError);
}

TEST_CASE("linear: bad parameters and data are named") {
  const Sample s(40, 5, 2, 0.9, 8);
  const auto refused = [&](auto change, const std::string& name) {
    LinearParams p = params_of(LinearSolver::squared_hinge);
    change(p);
    CAPTURE(name);
    try {
      train_linear(s.csr(), s.y.data(), p);
      FAIL("was accepted");
    } catch (const ParameterError& e) {
      CHECK(std::string(e.what()).rfind(name, 0) == 0);
    }
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](auto& p) { p.C = 0; }, "C ");
  refused([&](auto& p) { p.C = nan; }, "C ");
  refused([](auto& p) { p.tol = -1; }, "tol");
  refused([](auto& p) { p.epsilon = -0.1; }, "epsilon");
  refused([](auto& p) { p.nu = 1.5; }, "nu");
  refused([&](auto& p) { p.bias = nan; }, "bias");
  refused([](auto& p) { p.max_iter = -3; }, "max_iter");
  refused([](auto& p) { p.regularize_bias = false, p.bias = 2; }, "regularize_bias");
  refused([](auto& p) { p.regularize_bias = false, p.solver = LinearSolver::hinge_dual; }, "regularize_bias");
  const double infinity = std::numeric_limits<double>::infinity();
  refused([&](auto& p) { p.C = -infinity; }, "C ");
  refused([&](auto& p) { p.C = infinity, p.solver = LinearSolver::hinge_dual; }, "C:");
  refused([&](auto& p) { p.C = infinity, p.l1_ratio = 0.5; }, "l1_ratio");
  refused([](auto& p) { p.l1_ratio = 1.5; }, "l1_ratio");
  refused([](auto& p) { p.l1_ratio = 0.5, p.solver = LinearSolver::l1_logistic; }, "l1_ratio");
  refused([](auto& p) { p.class_weight = {{7.0, 1.0}}; }, "class_weight");
  refused([](auto& p) { p.solver = static_cast<LinearSolver>(static_cast<int>(last_of<LinearSolver>()) + 1); }, "solver");
  for (const int number : {8, -1, 12345}) CHECK_THROWS_AS(linear_solver(number), ParameterError);
  for (std::size_t i = 0; i < names_of(LinearSolver{}).size(); ++i) {
    const auto solver = static_cast<LinearSolver>(i);
    if (liblinear_number(solver) >= 0) CHECK(linear_solver(liblinear_number(solver)) == solver);
    CHECK(default_tol(solver) > 0);
    CHECK_FALSE((is_classifier(solver) && is_regression(solver)));
  }
  CHECK(linear_solver(21) == LinearSolver::one_class);
  auto bad = s;
  bad.y[7] = nan;
  CHECK_THROWS_AS(train_linear(s.csr(), bad.y.data(), params_of(LinearSolver::logistic)), DataError);
  bad.values[3] = nan;
  CHECK_THROWS_AS(train_linear(bad.csr(), s.y.data(), params_of(LinearSolver::logistic)), DataError);
  LinearParams small = params_of(LinearSolver::logistic);
  small.cache_size = 1e-3;
  CHECK_THROWS_AS(train_linear(s.csr32_wide(), s.y.data(), small), CapError);
  CsrView declared = std::get<CsrView>(s.csr());  // a text of a few bytes declares as many
  declared.cols = std::numeric_limits<std::int32_t>::max();
  for (const auto solver : {LinearSolver::squared_hinge, LinearSolver::l1_logistic, LinearSolver::one_class})
    CHECK_THROWS_AS(train_linear(declared, s.y.data(), params_of(solver)), CapError);
  CHECK_THROWS_AS(make_linear_model(LinearSolver::logistic, {0, 1}, 3, -1, 0, {1, 2}), DataError);
  CHECK_THROWS_AS(make_linear_model(LinearSolver::logistic, {0, nan}, 2, -1, 0, {1, 2}), DataError);
  CHECK_THROWS_AS(make_linear_model(LinearSolver::logistic, {0, 1}, 2, -1, 0, {1, nan}), DataError);
  CHECK_THROWS_AS(make_linear_model(LinearSolver::logistic, {0, 1}, std::numeric_limits<Index>::max(), 1, 0, {1}), DataError);
  const LinearModel model = train_linear(s.csr(), s.y.data(), params_of(LinearSolver::logistic));
  double out = 0;
  CsrView nothing;
  nothing.cols = 5;
  predict(model, nothing, &out);  // no rows
  nothing.rows = 1;
  CHECK_THROWS_AS(predict(model, nothing, &out), DataError);
  nothing.rows = -1;
  CHECK_THROWS_AS(predict(model, nothing, &out), DataError);
}

TEST_CASE("linear: rows without values") {
  const std::vector<double> x(40 * 3), y = [] {
    std::vector<double> labels(40);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<double>(i % 2);
    return labels;
  }();
  for (const LinearSolver solver : {LinearSolver::logistic, LinearSolver::squared_hinge}) {
    const LinearModel model = train_linear(dense(x.data(), 40, 3), y.data(), params_of(solver));
    CHECK(model.report().stop_reason == StopReason::converged);
    CHECK(model.w().back() == doctest::Approx(0.0));  // as many rows of one class as of the other
  }
}

TEST_CASE("linear: data that leaves the range of double is refused, and what rounding hides is not converged") {
  Sample s(60, 4, 2, 0.9, 8);
  const LinearParams params = params_of(LinearSolver::logistic);
  CHECK(train_linear(s.csr(), s.y.data(), params).report().stop_reason == StopReason::converged);
  for (double& v : s.values) v *= 1e100;
  const LinearReport hidden = train_linear(s.csr(), s.y.data(), params).report();
  CHECK(hidden.stop_reason == StopReason::stagnated);
  CHECK(hidden.violation > 1e80);
  for (double& v : s.values) v *= 1e200;
  CHECK_THROWS_AS(train_linear(s.csr(), s.y.data(), params), DataError);
}

TEST_CASE("linear: a faster copy of X in float is made only where the cap allows it") {
  std::vector<double> x, y;
  for (int i = 0; i < 3000; ++i) {  // each value is a float
    for (int j = 0; j < 40; ++j) x.push_back(static_cast<double>((i * 37 + j * 11) % 64 - 32));
    y.push_back(i % 3 == 0 ? 1 : -1);
  }
  const DataView view = dense(x.data(), 3000, 40);
  LinearParams params;
  const LinearModel large = train_linear(view, y.data(), params);
  params.cache_size = 0.01;
  const LinearModel small = train_linear(view, y.data(), params);
  CHECK(large.report().peak_cache_bytes >= 3000 * 40 * 4);
  CHECK(small.report().peak_cache_bytes <= 10486);
  CHECK(small.report().primal_objective == doctest::Approx(large.report().primal_objective).epsilon(1e-6));
}
