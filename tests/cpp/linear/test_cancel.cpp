// A host that cancels or interrupts a linear training, or limits its seconds.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/linear.hpp"
#include "doctest/doctest.h"
#include "linear/samples.hpp"

using namespace dcsvm;
using test::kSolvers;
using test::labels;
using test::params_of;
using test::Sample;

TEST_CASE("linear: the host can cancel and interrupt") {
  const Sample s(2000, 30, 3, 0.9, 9);
  for (const LinearSolver solver : kSolvers) {
    CAPTURE(std::string(name_of(solver)));
    Hooks hooks;
    hooks.progress_interval = 0;
    hooks.progress = [](const Progress&) { return true; };
    CHECK(train_linear(s.csr(), labels(s, solver), params_of(solver), {}, hooks).report().stop_reason == StopReason::cancelled);
    hooks.progress = nullptr;
    int asked = 0;
    hooks.interrupted = [&] { return ++asked > 0; };
    LinearParams p = params_of(solver, 1e-12);
    p.C = 1e4;
    try {
      train_linear(s.csr(), labels(s, solver), p, {}, hooks);
      CHECK(asked == 0);  // too quick
    } catch (const Interrupted&) {
    }
  }
}

// A step of such a problem may take as long as all others together: max_seconds once came 40 s late.
TEST_CASE("linear: the host is asked between the passes of a step, too") {
  base::Random random(3);
  std::vector<double> x, y;
  for (int i = 0; i < 600; ++i) {
    const double common = random.uniform();
    for (int j = 0; j < 40; ++j) x.push_back(common + 0.1 * random.uniform());  // nearly dependent columns
    y.push_back(static_cast<double>(random.below(3)));
  }
  struct Case {
    LinearSolver solver;
    double l1_ratio;
    Index rows;
  };
  for (const Case& c : {Case{LinearSolver::multinomial, 1.0, 600},
                        {LinearSolver::multinomial, 0.5, 600},
                        {LinearSolver::multinomial, 0.0, 600},
                        {LinearSolver::multinomial, 0.0, 30},
                        {LinearSolver::l1_logistic, 0.0, 600},
                        {LinearSolver::l1_logistic, 0.0, 30},
                        {LinearSolver::logistic, 0.0, 600},
                        {LinearSolver::squared_hinge, 0.0, 30}}) {
    CAPTURE(std::string(name_of(c.solver)));
    CAPTURE(c.l1_ratio);
    CAPTURE(c.rows);
    LinearParams p = params_of(c.solver, 1e-4);
    p.C = 10.0;
    p.l1_ratio = c.l1_ratio;
    const DataView view = dense(x.data(), c.rows, 40);
    std::int64_t calls = 0, last = -1;
    bool within = false;
    Hooks hooks;
    hooks.progress_interval = 0;
    hooks.progress = [&](const Progress& now) {
      within = within || (calls > 0 && now.n_iter == last);
      last = now.n_iter;
      ++calls;
      return false;
    };
    const LinearReport whole = train_linear(view, y.data(), p, {}, hooks).report();
    CHECK(whole.stop_reason == StopReason::converged);
    CHECK(within);
    calls = 0;
    hooks.progress = [&](const Progress&) { return ++calls == 3; };
    const LinearReport cut = train_linear(view, y.data(), p, {}, hooks).report();
    CHECK(cut.stop_reason == StopReason::cancelled);
    CHECK(calls <= 3 + 2);  // parts that follow are asked at once
    CHECK(std::isfinite(cut.primal_objective));
  }
}
