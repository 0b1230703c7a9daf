// Where rows cancel and w = 0 is the optimum, a training says that it has converged, whatever the units of X and C.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "dcsvm/linear.hpp"
#include "dcsvm/parameters.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

/// Each row once in every class, class after class or row after row.
struct Cancelling {
  Index n = 0, d;
  std::vector<double> x, y;

  Cancelling(Index rows, Index cols, int classes, double unit, bool by_class) : d(cols) {
    base::Random random(5);
    std::vector<double> once(rows * cols);
    for (double& v : once) v = unit * (random.uniform() - 0.4) / 3.0;
    const auto add = [&](Index i, int c) {
      x.insert(x.end(), once.begin() + i * d, once.begin() + (i + 1) * d);
      y.push_back(c);
      ++n;
    };
    if (by_class) {
      for (int c = 0; c < classes; ++c)
        for (Index i = 0; i < rows; ++i) add(i, c);
    } else {
      for (Index i = 0; i < rows; ++i)
        for (int c = 0; c < classes; ++c) add(i, c);
    }
  }
};

}  // namespace

TEST_CASE("linear: converged where w = 0 is the optimum, for every classifier and regression") {
  for (std::size_t number = 0; number < number_of_values<LinearSolver>(); ++number) {
    const auto solver = static_cast<LinearSolver>(number);
    if (solver == LinearSolver::one_class) continue;
    for (const auto& [unit, C] : {std::pair<double, double>{1.0, 1.0}, {1e6, 1e-3}, {1e-3, 1e4}, {30.0, 100.0}}) {
      for (const bool by_class : {false, true}) {
        CAPTURE(name_of(solver));
        CAPTURE(unit);
        CAPTURE(C);
        CAPTURE(by_class);
        Cancelling s(19, 5, 2, unit, by_class);
        if (is_regression(solver))
          for (double& y : s.y) y = 2.0 * y - 1.0;
        LinearParams p;
        p.solver = solver;
        p.C = C;
        p.n_threads = 1;
        const LinearModel m = train_linear(dense(s.x.data(), s.n, s.d), s.y.data(), p);
        CHECK(m.report().stop_reason == StopReason::converged);
        CHECK(m.report().primal_objective == doctest::Approx(m.report().dual_objective).epsilon(1e-6));
        for (const double w : m.w()) CHECK(std::abs(w) * unit < 1e-6);
      }
    }
  }
}

TEST_CASE("linear: several classes that cancel, from both sides of Crammer and Singer's problem and one against the rest") {
  for (const LinearSolver solver : {LinearSolver::crammer_singer, LinearSolver::squared_hinge, LinearSolver::logistic_dual}) {
    for (const Index rows : {Index{7}, Index{300}}) {
      for (const double C : {1e-3, 1.0, 1e3}) {
        CAPTURE(name_of(solver));
        CAPTURE(rows);
        CAPTURE(C);
        const Cancelling s(rows, 4, 3, 1.0, true);
        LinearParams p;
        p.solver = solver;
        p.C = C;
        p.n_threads = 1;
        CHECK(train_linear(dense(s.x.data(), s.n, s.d), s.y.data(), p).report().stop_reason == StopReason::converged);
      }
    }
  }
}

TEST_CASE("linear: w is not set to 0 where rows cancel only nearly") {
  Cancelling s(40, 5, 2, 1.0, false);
  for (Index i = 0; i < s.n; ++i) s.x[i * s.d] += 1e-6 * s.y[i];
  LinearParams p;
  p.solver = LinearSolver::squared_hinge;
  p.n_threads = 1;
  const LinearModel m = train_linear(dense(s.x.data(), s.n, s.d), s.y.data(), p);
  CHECK(m.report().stop_reason == StopReason::converged);
  CHECK(std::abs(m.w()[0]) > 1e-7);
}
