// The certificate where few coefficients are large (qp/judge_heavy.cpp).
#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "qp/judged_problem.hpp"

using namespace dcsvm;
using handmade::judged;
using handmade::JudgedProblem;
using handmade::JudgeOutcome;
using handmade::kUnit;
using handmade::random_sign;
using handmade::RoundedRows;

TEST_CASE("Concentrated coefficients: the violation is the true one, and most values stay in float") {
  const JudgedProblem p(1500, 30);
  const std::vector<double> g = p.true_gradient();
  const double truth = p.violation(g);
  const JudgeOutcome out = judged(p, random_sign, 1.5 * truth, false);
  CHECK(out.result.violation == doctest::Approx(truth).epsilon(5e-3));
  CHECK(out.n_exact < p.n * p.n / 3);
  for (Index i = 0; i < p.n; ++i) REQUIRE(std::abs(out.g[i] - g[i]) < 4e-4);  // float alone: about 10
}

TEST_CASE(
    "Where heavy coefficients were treated in double, errors of the others that add up far from the extremes refute the bound") {
  const Index n_heavy = 30;
  JudgedProblem p(1500, n_heavy);
  const double bound = p.bound(n_heavy);
  const auto adds_up = [](Index i) { return i >= n_heavy && i % 3 == 2; };
  for (Index i = 0; i < p.n; ++i) {
    if (adds_up(i)) p.q[i] += (p.beta[i] > 0 ? 20.0 : -20.0) * bound;
  }
  const JudgedProblem::Fn error = [&](Index i, Index j) {
    if (!adds_up(i) || !adds_up(j)) return random_sign(i, j);
    return (p.beta[i] > 0) == (p.beta[j] > 0) ? kUnit : -kUnit;
  };
  const std::vector<double> truth = p.true_gradient();
  const JudgeOutcome out = judged(p, error, p.violation(truth) + 0.2 * bound, false);
  for (Index i = 0; i < p.n; ++i) REQUIRE(std::abs(out.g[i] - truth[i]) < 1e-6);
}

TEST_CASE("Where heavy coefficients were treated in double, what a later solve makes of them is uncertain") {
  JudgedProblem p(1500, 2);
  const RoundedRows both(p, random_sign);
  const auto& [exact, given, twin, rows] = both;
  handmade::Call call;
  std::vector<double> g = p.gradient(given);
  qp::Result result;
  result.violation = p.violation(g);
  const qp::Problem problem = p.problem();
  qp::Judged said(problem, p.beta.data(), g.data(), rows.rounding(), call.context, result);
  said.judge(rows, *twin, 0.5 * p.violation(p.true_gradient()), false, result);
  REQUIRE_FALSE(said.all_exact());
  const qp::Origins origins = said.origins();
  REQUIRE(origins.known[0].beta[1] == p.beta[1]);

  // The heavy one leaves, by float values.
  for (Index i = 0; i < p.n; ++i) g[i] += p.beta[1] * given(i, 1);
  p.beta[1] = 0;
  result.violation = p.violation(g);
  result.stop_reason = StopReason::converged;
  qp::Judged again(problem, p.beta.data(), g.data(), rows.rounding(), call.context, result, {}, origins);
  CHECK(again.bound() > 5 * p.bound());
  const double truth = p.violation(p.true_gradient());
  again.judge(rows, *twin, 2 * truth, false, result);
  CHECK(p.violation(g) == doctest::Approx(truth).epsilon(5e-3));
}
