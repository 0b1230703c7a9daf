// Problems that are solved together against each alone.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/call.hpp"
#include "doctest/doctest.h"
#include "linear_fit/problem.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;

TEST_CASE("problems that are solved together end at the solution of each alone") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks), wide(3, 0, 100, hooks);
  for (const double filled : {0.15, 0.9}) {
    CAPTURE(filled);
    const HandmadeMatrix c(900, 60, filled, 1.0, call.pool);
    for (const linear_fit::Loss loss : {linear_fit::Loss::logistic, linear_fit::Loss::squared_hinge}) {
      std::vector<linear_fit::Problem> problems(4);
      linear_fit::SolveOptions options;
      options.relative_gap = 1e-10;
      std::vector<linear_fit::NewtonProblem> tasks;
      for (std::size_t k = 0; k < problems.size(); ++k) {
        linear_fit::Problem& p = problems[k];
        p.x = &c.matrix;
        p.loss = loss;
        p.C.assign(900, k == 3 ? 100.0 : 1.0);
        p.C[7] = 0.0;
        for (Index i = 0; i < 900; ++i)
          p.y.push_back(c.x[i * 60 + static_cast<Index>(k)] + 0.1 * c.x[i * 60 + 9] > 0.0 ? 1.0 : -1.0);
      }
      for (const linear_fit::Problem& p : problems) tasks.push_back({&p, options});
      const std::vector<linear_fit::Solution> together = linear_fit::solve_newton(tasks, call.context);
      const std::vector<linear_fit::Solution> threads = linear_fit::solve_newton(tasks, wide.context);
      for (std::size_t k = 0; k < problems.size(); ++k) {
        CAPTURE(k);
        const linear_fit::Solution alone = linear_fit::solve_newton(problems[k], options, call.context);
        CHECK(together[k].w == threads[k].w);
        CHECK(together[k].stop_reason == StopReason::converged);
        const auto judged = linear_fit::certificates({{&problems[k], &together[k]}, {&problems[k], &alone}}, call.pool);
        CHECK(std::abs(judged[0].report.primal_objective / judged[1].report.primal_objective - 1.0) < 1e-9);
        CHECK(judged[0].report.primal_objective - judged[0].report.dual_objective <= 2e-10 * judged[0].report.primal_objective);
        CHECK(relative_difference(together[k].w, alone.w) < 1e-3);
      }
    }
  }
}

TEST_CASE("linear: a problem that leaves the range of double ends at once, and the one beside it goes on") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks);
  const HandmadeMatrix c(900, 60, 0.3, -1.0, call.pool);
  const auto solve = [&](double first_price) {
    std::vector<linear_fit::Problem> problems(2);
    std::vector<linear_fit::NewtonProblem> tasks;
    for (linear_fit::Problem& p : problems) {
      p.x = &c.matrix;
      p.C.assign(900, 1.0);
      for (Index i = 0; i < 900; ++i) p.y.push_back(c.x[i * 60 + 3] > 0.0 ? 1.0 : -1.0);
      tasks.push_back({&p, linear_fit::SolveOptions()});
    }
    problems[0].C.assign(900, first_price);
    return linear_fit::solve_newton(tasks, call.context);
  };
  const std::vector<linear_fit::Solution> apart = solve(1.0), beside = solve(1e200);
  CHECK(apart[0].stop_reason == StopReason::converged);
  CHECK(beside[0].stop_reason == StopReason::stagnated);
  CHECK(beside[0].n_inner == 0);
  CHECK(std::isnan(beside[0].violation));
  CHECK(std::all_of(beside[0].w.begin(), beside[0].w.end(), [](double w) { return std::isnan(w); }));
  CHECK(beside[1].stop_reason == StopReason::converged);
  CHECK(beside[1].violation <= beside[1].limit);
}
