// The certificate (qp/judge.hpp): matrices whose float values are wrong by what the test says, and gradients written out.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "base/thread_pool.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "qp/judged_problem.hpp"

using namespace dcsvm;
using handmade::judged;
using handmade::JudgedProblem;
using handmade::JudgeOutcome;
using handmade::kSpan;
using handmade::kUnit;
using handmade::random_sign;
using handmade::RoundedRows;
using handmade::rounding_of_units;
using kernels::Rounding;

TEST_CASE("The bound of a gradient's error: above the largest of many rows, within a few times of it") {
  const JudgedProblem p(1500);
  double largest = 0, b1 = 0;
  for (Index i = 0; i < p.n; ++i) {
    double e = 0;
    for (Index j = 0; j < p.n; ++j) e += p.beta[j] * random_sign(i, j);
    largest = std::max(largest, std::abs(e));
    b1 += std::abs(p.beta[i]);
  }
  const double b2 = std::sqrt(std::inner_product(p.beta.begin(), p.beta.end(), p.beta.begin(), 0.0));
  const double bound = qp::error_bound(rounding_of_units(), p.n, {b1, b2, b1, b2}, 0.0, 0.0).bound;
  CHECK(bound > largest);
  CHECK(bound < 4 * largest);
  CHECK(bound == doctest::Approx(p.bound()).epsilon(1e-9));
}

TEST_CASE("Roundings of the sums: many updates of whole numbers, of which float keeps every product but not its sums") {
  const Index n = 300, d = 4, updates = 40;
  base::Random random(3);
  std::vector<double> x(n * d);
  for (double& value : x) value = static_cast<double>(random.below(17) - 8);
  KernelParams linear;
  linear.type = KernelType::linear;
  base::ThreadPool pool(1);
  const auto rows = kernel_matrix::make_kernel_rows<float>(dense(x.data(), n, d), linear, pool);
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), 0);
  const auto columns = rows->columns(all.data(), n, 1 << 24, pool);
  std::vector<double> sums(n, 0.0), b(n, 0.0), change(n);
  std::vector<double> path(n, 0.0);
  for (Index t = 0; t < updates; ++t) {
    for (Index j = 0; j < n; ++j) {
      // The last update takes back what those before have done: only what they were rounded by is left.
      change[j] = t + 1 < updates ? 2 * random.uniform() - 1 : -b[j];
      b[j] += change[j];
      path[j] += std::abs(change[j]);
    }
    columns->multiply(all.data(), change.data(), n, sums.data(), pool);
  }
  double largest = 0;
  for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(sums[i]));
  Rounding r;
  r.sums = rows->rounding().sums;
  const double path2 = std::sqrt(std::inner_product(path.begin(), path.end(), path.begin(), 0.0));
  const double bound = qp::error_bound(r, n, {0.0, 0.0, 0.0, path2}, -1.0, 0.0).bound;
  CHECK(bound > largest);
  CHECK(bound < 1000 * largest);
}

TEST_CASE("What all values of a row share is bounded by the 1-norm, or by the norm of the function where there is one") {
  Rounding r;
  r.shared = 3.0;
  CHECK(qp::error_bound(r, 10, {2.0, 0.0, 2.0, 0.0}, 5.0, 0.25).bound == doctest::Approx(6.25));
  r.shared_norm = 0.5;
  CHECK(qp::error_bound(r, 10, {2.0, 0.0, 2.0, 0.0}, 5.0, 0.25).bound == doctest::Approx(2.75));
  CHECK(qp::error_bound(r, 10, {2.0, 0.0, 2.0, 0.0}, -1.0, 0.25).bound == doctest::Approx(6.25));  // indefinite
}

TEST_CASE("The rounding of a row's norm counts among the independent roundings, and at its worst where nothing is taken to be") {
  Rounding r;
  r.shared_norm = 0;
  r.deviation = 3e-8, r.largest = 2e-7, r.of_row = 4e-8, r.of_row_largest = 5e-7;
  const Index n = 10;
  const double factor = qp::factor_of(static_cast<double>(n), qp::kFailure);
  const qp::GradientError all = qp::error_bound(r, n, {2.0, 2.0, 2.0, 2.0}, 0.5, 0.0);
  CHECK(all.bound == doctest::Approx(factor * 1e-7));  // of the 1-norm: no factor of the whole row
  CHECK(all.coherent == doctest::Approx(1.4e-6));
  CHECK(qp::bound_of_formed(r, 2.0, 0.5) == doctest::Approx(1.4e-6));
  r.of_row_is_factor = true;
  const qp::GradientError factors = qp::error_bound(r, n, {2.0, 2.0, 2.0, 2.0}, 0.5, 0.0);
  CHECK(factors.bound == doctest::Approx(factor * std::hypot(6e-8, 2e-8)));
  CHECK(factors.coherent == doctest::Approx(6.5e-7));
  r.of_step = 1e-7;  // of equal steps
  CHECK(qp::error_bound(r, n, {2.0, 2.0, 2.0, 2.0}, 0.5, 0.0).coherent == doctest::Approx(8.5e-7));
}

TEST_CASE("Steps that were undone on the way count where each was rounded: of sums, and of values that depend on the columns") {
  const JudgedProblem p(1500);
  Rounding of_sums, of_values;
  of_sums.shared_norm = of_values.shared_norm = 0;
  of_sums.sums = of_values.deviation = 1e-7;
  std::vector<double> g = p.true_gradient(), steps = p.beta;
  for (double& s : steps) s = std::abs(s);
  const qp::Problem problem = p.problem();
  handmade::Call call;
  const auto bound = [&](const Rounding& r, double times, double times_before) {
    const auto of = [&](double t) {
      std::vector<double> path = steps;
      for (double& s : path) s *= t;
      return path;
    };
    qp::Origins origins;
    origins.known[0].path = of(times_before);
    return qp::Judged(problem, p.beta.data(), g.data(), r, call.context, qp::Result(), of(times), origins).bound();
  };
  const double norm2 = std::sqrt(std::inner_product(p.beta.begin(), p.beta.end(), p.beta.begin(), 0.0));
  const double straight = qp::error_bound(of_sums, p.n, {0.0, norm2, 0.0, norm2}, -1.0, 0.0).bound;
  for (const bool values : {false, true}) {
    Rounding r = values ? of_values : of_sums;
    r.by_columns = values;
    CHECK(bound(r, 1.0, 0.0) == doctest::Approx(straight));
    CHECK(bound(r, 3.0, 0.0) == doctest::Approx(3.0 * straight));
    CHECK(bound(r, 1.0, 2.0) == doctest::Approx(3.0 * straight));
  }
  CHECK(bound(of_values, 3.0, 2.0) == doctest::Approx(straight));  // rounded alike: what was undone cancels
}

TEST_CASE("What values of a row share is known by the norm of the function that the gradients tell") {
  const JudgedProblem p(1500);
  std::vector<double> g = p.true_gradient();
  double square = 0, norm1 = 0;  // b'K b, |b|_1
  for (Index i = 0; i < p.n; ++i) square += p.beta[i] * (p.q[i] - g[i]), norm1 += std::abs(p.beta[i]);
  Rounding only_shared;
  only_shared.shared = 1e-6 * square / (norm1 * norm1);  // so small that the norm is known to 1e-6
  only_shared.shared_norm = 0.5 * only_shared.shared * norm1 / std::sqrt(square);
  const double bound = only_shared.shared_norm * std::sqrt(square);
  const qp::Problem problem = p.problem();
  handmade::Call call;
  const qp::Judged said(problem, p.beta.data(), g.data(), only_shared, call.context, qp::Result());
  CHECK(said.bound() == doctest::Approx(bound).epsilon(1e-5));
}

TEST_CASE("An objective that nothing in double has looked at is known only if values at their worst leave its digits") {
  const JudgedProblem p(1500);
  std::vector<double> g = p.true_gradient();
  const qp::Problem problem = p.problem();
  handmade::Call call;
  qp::Result result;
  result.stop_reason = StopReason::converged;
  result.violation = p.violation(g);
  result.objective = qp::objective_of(problem, p.beta.data(), g.data());
  double norm1 = 0;
  for (const double b : p.beta) norm1 += std::abs(b);
  // All values at their worst, in the objective: 1/2 |b|_1 (largest |b|_1).
  const auto is_known = [&](double share_of_digits) {
    Rounding r;
    r.shared_norm = 0;
    r.largest = share_of_digits * 4.8e-6 * std::abs(result.objective) / (0.5 * norm1 * norm1);
    const qp::Judged said(problem, p.beta.data(), g.data(), r, call.context, result);
    REQUIRE(said.is_known(result, result.violation + 1.0, false));
    return said.is_known(result, result.violation + 1.0, true);
  };
  CHECK(is_known(0.98));
  CHECK_FALSE(is_known(1.02));
}

TEST_CASE(
    "Values that move with the columns: a report without a claim is known only if the bound along the path leaves its digits") {
  const JudgedProblem p(1500);
  std::vector<double> g = p.true_gradient();
  const qp::Problem problem = p.problem();
  handmade::Call call;
  qp::Result result;
  result.stop_reason = StopReason::converged;
  result.violation = p.violation(g);
  Rounding r = rounding_of_units();
  r.by_columns = true;
  r.deviation = 1e-12 / p.bound() * kUnit * result.violation;
  r.largest = r.deviation;
  r.typical = 0;
  const auto is_known = [&](double times, bool claims) {
    std::vector<double> path = p.beta;
    for (double& step : path) step = times * std::abs(step);
    const qp::Judged said(problem, p.beta.data(), g.data(), r, call.context, result, path);
    return said.is_known(result, result.violation + 1.0, false, claims);
  };
  CHECK(is_known(1.0, false));
  CHECK_FALSE(is_known(1.0, true));
  CHECK_FALSE(is_known(1e12, false));
}

TEST_CASE("Values of which thousands are rounded alike: the bound adds their roundings up") {
  const JudgedProblem p(1500);
  double b1 = 0;
  for (const double b : p.beta) b1 += std::abs(b);
  const double b2 = std::sqrt(std::inner_product(p.beta.begin(), p.beta.end(), p.beta.begin(), 0.0));
  Rounding r = rounding_of_units();
  r.alike = true;
  CHECK(qp::error_bound(r, p.n, {b1, b2, b1, b2}, 0.0, 0.0).bound == doctest::Approx(kUnit * b1));
  r.by_columns = true;
  CHECK(qp::error_bound(r, p.n, {b1, b2, 3 * b1, 3 * b2}, 0.0, 0.0).bound == doctest::Approx(3 * kUnit * b1));
}

TEST_CASE("A variable just within the bound of the extremes is looked at, however wrong the others are") {
  JudgedProblem p(1500);
  const double bound = p.bound();
  // The largest gradient that counts is one that float makes 0.65 of the bound smaller: its errors have the signs of the
  // coefficients until their sum is so large. All other values are right. Forty others are raised to just below the truth.
  const std::vector<double> g = p.true_gradient();
  const Index top = 4;
  const std::vector<double> wrong = p.errors_that_hide(top, 0.65 * bound);  // more would refute the bound
  const auto error = [&](Index i, Index j) { return i == top ? wrong[j] : j == top ? wrong[i] : 0.0; };
  REQUIRE(p.beta[top] < p.hi[top]);
  p.q[top] += 2 * kSpan - g[top];
  for (Index i = 10, raised = 0; raised < 40; i += 6) {  // positive and free
    REQUIRE(p.beta[i] < p.hi[i]);
    p.q[i] += 2 * kSpan - 0.2 * bound - 1e-3 * bound * static_cast<double>(raised++) - g[i];
  }
  const double truth = p.violation(p.true_gradient());
  const JudgeOutcome out = judged(p, error, truth + 0.02 * bound, false);
  CHECK(out.result.violation == doctest::Approx(truth).epsilon(1e-9));
  CHECK(out.n_exact < p.n * p.n / 3);
}

TEST_CASE("The room up to the tolerance is shared by both ends: two errors, each within all of it, are found") {
  JudgedProblem p(1500);
  const double bound = p.bound(), room = 0.5 * bound;
  const std::vector<double> g = p.true_gradient();
  const double end = 2 * kSpan;
  // Eight free variables at either end tell what float knows. Beyond them are one that is truly 0.85 rooms higher and one that is
  // as much lower; float values hide more than that of both.
  for (Index i = 10, count = 0; count < 16; i += 6, ++count) {
    REQUIRE((p.beta[i] < p.hi[i] && p.beta[i] > p.lo[i]));
    p.q[i] += (count % 2 == 0 ? end : -end) - g[i];
  }
  const double known = p.violation(p.true_gradient());
  const Index top = 4, bottom = 1;
  const std::vector<double> of_top = p.errors_that_hide(top, 0.95 * bound), of_bottom = p.errors_that_hide(bottom, -0.95 * bound);
  const JudgedProblem::Fn error = [&](Index i, Index j) {
    const auto of_row = [&](Index a, Index b) { return a == top ? of_top[b] : a == bottom ? of_bottom[b] : 0.0; };
    return i == top || i == bottom ? of_row(i, j) : of_row(j, i);
  };
  p.q[top] += end + 0.85 * room - g[top];
  p.q[bottom] += -end - 0.85 * room - g[bottom];
  const double truth = p.violation(p.true_gradient());
  REQUIRE(truth > known + 1.6 * room);
  CHECK(judged(p, error, known + room, false).result.violation == doctest::Approx(truth).epsilon(1e-6));
}

TEST_CASE("Errors that add up, as those of equal points do, refute the bound: all gradients are computed in double") {
  const JudgedProblem p(1500);
  const auto error = [&](Index i, Index j) { return p.beta[i] * p.beta[j] >= 0 ? kUnit : -kUnit; };
  const std::vector<double> g = p.true_gradient();
  const JudgeOutcome out = judged(p, error, 1.01 * p.violation(g), false);
  for (Index i = 0; i < p.n; ++i) REQUIRE(out.g[i] == doctest::Approx(g[i]).epsilon(1e-12));
}

TEST_CASE("Errors that add up far from the extremes refute the bound too: rows with large shares of |b| are looked at") {
  JudgedProblem p(1500);
  const auto bounded = [](Index i) { return i % 3 == 2; };
  for (Index i = 0; i < p.n; ++i) {
    if (bounded(i)) p.q[i] += (p.beta[i] > 0 ? 20.0 : -20.0) * p.bound();
  }
  const JudgedProblem::Fn error = [&](Index i, Index j) {
    if (!bounded(i) || !bounded(j)) return random_sign(i, j);
    return (p.beta[i] > 0) == (p.beta[j] > 0) ? kUnit : -kUnit;
  };
  const std::vector<double> truth = p.true_gradient();
  // With little room the gradient is formed anew, with much it stays as it is.
  for (const double room : {0.2, 1.9}) {
    const JudgeOutcome out = judged(p, error, p.violation(truth) + room * p.bound(), false);
    for (Index i = 0; i < p.n; ++i) REQUIRE(out.g[i] == doctest::Approx(truth[i]).epsilon(1e-12));
  }
}

TEST_CASE("Plenty of room: few values are computed in double; the objective is known to six digits") {
  const JudgedProblem p(1500);
  const std::vector<double> g = p.true_gradient();
  const double truth = p.violation(g);
  const JudgeOutcome out = judged(p, random_sign, 1.5 * truth, false);
  CHECK(out.result.violation == doctest::Approx(truth).epsilon(5e-3));
  CHECK(out.n_exact < p.n * p.n / 5);
  const qp::Problem problem = p.problem();
  CHECK(judged(p, random_sign, 1.5 * truth).result.objective ==
        doctest::Approx(qp::objective_of(problem, p.beta.data(), g.data())).epsilon(4e-6));
}

TEST_CASE("Errors that lean to the sign of b are within the bound of each gradient; the objective, where they add up, is right") {
  const JudgedProblem p(1500);
  base::Random random(5);
  std::vector<double> leaning(p.n * p.n, 0.0);
  for (Index i = 0; i < p.n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double sign = p.beta[i] * p.beta[j] >= 0 ? kUnit : -kUnit;
      leaning[i * p.n + j] = leaning[j * p.n + i] = random.uniform() < 0.53 ? sign : -sign;
    }
  }
  const JudgedProblem::Fn error = [&](Index i, Index j) { return leaning[i * p.n + j]; };
  const qp::Problem problem = p.problem();
  const std::vector<double> truth = p.true_gradient();
  const double objective = qp::objective_of(problem, p.beta.data(), truth.data());
  const std::vector<double> wrong = p.gradient([&](Index i, Index j) { return p.exact(i, j) + error(i, j); });
  REQUIRE(std::abs(qp::objective_of(problem, p.beta.data(), wrong.data()) - objective) > 6e-6 * std::abs(objective));
  REQUIRE(judged(p, error, 2 * p.violation(truth), false).n_exact < p.n * p.n / 5);  // nothing refutes the bound
  CHECK(judged(p, error, 2 * p.violation(truth)).result.objective == doctest::Approx(objective).epsilon(5e-6));
}

TEST_CASE("From a gradient in double on, only what has changed since is uncertain") {
  const JudgedProblem p(1500);
  const double truth = p.violation(p.true_gradient()), tol = truth + 0.05 * p.bound();
  std::vector<double> base = p.beta;
  for (Index i = 1; i < p.n; i += 100) base[i] *= 0.9;
  const JudgeOutcome from_zero = judged(p, random_sign, tol, false), refined = judged(p, random_sign, tol, false, &base);
  CHECK(from_zero.result.violation == doctest::Approx(truth).epsilon(5e-3));
  CHECK(refined.result.violation == doctest::Approx(truth).epsilon(5e-3));
  CHECK(refined.n_exact < from_zero.n_exact / 3);
}

TEST_CASE("A solve that goes on needs true gradients only where the bound does not keep them from deciding") {
  JudgedProblem p(1500);
  // Most variables are far from the extremes: 20 bounds away from where they could be moved.
  for (Index i = 0; i < p.n; ++i) {
    if (i % 10 == 0) continue;
    const double away = 20 * p.bound();
    if (p.beta[i] == p.hi[i]) p.q[i] += away;
    if (p.beta[i] == p.lo[i]) p.q[i] -= away;
  }
  const RoundedRows both(p, random_sign);
  const auto& [exact, given, twin, rows] = both;
  handmade::Call call;
  std::vector<double> g = p.gradient(given);
  const std::vector<double> truth = p.true_gradient();
  qp::Result result;
  result.violation = p.violation(g);
  const double tol = 0.5 * p.violation(truth);  // not reached: a solve goes on
  const qp::Problem problem = p.problem();
  qp::Judged said(problem, p.beta.data(), g.data(), rows.rounding(), call.context, result);
  said.judge(rows, *twin, tol, false, result);
  said.refine(*twin);
  CHECK_FALSE(said.all_exact());
  const qp::Bounds ends = qp::bounds_of(problem, p.beta.data(), g.data()).of[0];
  for (Index i = 0; i < p.n; ++i) {
    const bool may_lift = p.beta[i] < p.hi[i] && g[i] + p.bound() > ends.up,
               may_lower = p.beta[i] > p.lo[i] && g[i] - p.bound() < ends.low;
    if (may_lift || may_lower) REQUIRE(g[i] == doctest::Approx(truth[i]).epsilon(1e-12));
  }

  // Each of two variables moves a little; errors of the refined gradients are those of the moves alone.
  const qp::Origins origins = said.origins();
  p.beta[1] += 0.1, p.beta[4] -= 0.1;
  for (Index i = 0; i < p.n; ++i) g[i] -= 0.1 * given(i, 1) - 0.1 * given(i, 4);
  result.violation = p.violation(g);
  const std::int64_t values = twin->n_values();
  qp::Judged again(problem, p.beta.data(), g.data(), rows.rounding(), call.context, result, {}, origins);
  const double moved_truth = p.violation(p.true_gradient());
  again.judge(rows, *twin, moved_truth + 1e-2 * p.bound(), false, result);
  CHECK(p.violation(g) == doctest::Approx(moved_truth).epsilon(5e-3));
  CHECK(twin->n_values() - values < p.n * p.n / 10);
}
