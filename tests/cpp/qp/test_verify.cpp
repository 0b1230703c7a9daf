// Solutions found with float kernel values are judged and improved in double (qp/verify.hpp): against values written out in
// double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/checkpoint.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "qp/error_bound.hpp"
#include "qp/rbf_problem.hpp"

using namespace dcsvm;
using handmade::RbfProblem;

namespace {

struct VerifyOutcome {
  qp::Result result;
  std::vector<double> beta;
};

template <class T>
VerifyOutcome solved(const kernel_matrix::RowSource<T>& rows, const qp::Problem& problem, const qp::Options& options,
                     int threads = 1) {
  base::ThreadPool pool(threads);
  base::Context context{&pool, nullptr, 1, std::size_t{64} << 20};
  VerifyOutcome out;
  out.beta.assign(problem.n, 0.0);
  out.result = qp::solve(rows, problem, options, out.beta.data(), nullptr, context);
  return out;
}

struct Truth {
  double violation, objective;
};

// Of C-SVC with a bias, from the definition.
template <class Entry>
Truth truth_of(const qp::Problem& p, const std::vector<double>& beta, Entry&& entry) {
  double up = -HUGE_VAL, low = HUGE_VAL, objective = 0;
  for (Index i = 0; i < p.n; ++i) {
    double k_beta = 0;
    for (Index j = 0; j < p.n; ++j) {
      if (beta[j] != 0.0) k_beta += beta[j] * entry(i, j);
    }
    const double g = p.q[i] - k_beta;
    objective += beta[i] * (0.5 * k_beta - p.q[i]);
    if (beta[i] < p.hi[i]) up = std::max(up, g);
    if (beta[i] > p.lo[i]) low = std::min(low, g);
  }
  return {std::max(0.0, up - low), objective};
}

}  // namespace

TEST_CASE("A large C: float alone says converged and is not; verified it is, and its objective is true") {
  const RbfProblem p(2500, 2, 1.0, 1e3, 5, 0.3);
  qp::Options options;
  options.tol = 1e-4;
  const auto rows = p.rows<float>();
  const auto entry = [&](Index i, Index j) { return p.entry(i, j); };

  options.verify = qp::Verify::nothing;
  const VerifyOutcome alone = solved(*rows, p.problem(), options);
  const Truth of_alone = truth_of(p.problem(), alone.beta, entry);
  CHECK(of_alone.violation > 3 * options.tol);

  options.verify = qp::Verify::report;
  const VerifyOutcome reported = solved(*rows, p.problem(), options);
  CHECK(reported.beta == alone.beta);
  CHECK(reported.result.violation == doctest::Approx(of_alone.violation).epsilon(0.1));
  CHECK(reported.result.objective == doctest::Approx(of_alone.objective).epsilon(1e-6));

  options.verify = qp::Verify::solution;
  const VerifyOutcome verified = solved(*rows, p.problem(), options);
  const Truth truth = truth_of(p.problem(), verified.beta, entry);
  REQUIRE(verified.result.stop_reason == StopReason::converged);
  CHECK(truth.violation < 1.1 * options.tol);
  CHECK(verified.result.objective == doctest::Approx(truth.objective).epsilon(1e-6));

  const VerifyOutcome again = solved(*rows, p.problem(), options, 2);
  CHECK(again.beta == verified.beta);  // the same for any number of threads
}

TEST_CASE("Judging ends after the end of the call: the solution is what the solve found, and claims nothing") {
  const RbfProblem p(2500, 2, 1.0, 1e3, 5, 0.3);
  const qp::Problem problem = p.problem();
  const auto rows = p.rows<float>();
  qp::Options options;
  options.tol = 1e-4;
  options.verify = qp::Verify::nothing;
  VerifyOutcome alone{{}, std::vector<double>(problem.n, 0.0)};
  std::vector<double> of_float(problem.n);
  base::ThreadPool plain(1);
  base::Context context{&plain, nullptr, 1, std::size_t{64} << 20};
  alone.result = qp::solve(*rows, problem, options, alone.beta.data(), of_float.data(), context);
  REQUIRE(alone.result.stop_reason == StopReason::converged);

  // From its solution nothing is left to do but to judge.
  const Hooks hooks;
  const auto judged = [&](qp::Verify verify, double grace, int threads) {
    base::Monitor monitor(hooks, 1e-9, grace);
    base::ThreadPool pool(threads, [&monitor] { monitor.poll(); });
    base::Context own{&pool, &monitor, 1, std::size_t{64} << 20};
    VerifyOutcome out{{}, alone.beta};
    std::vector<double> gradient = of_float;
    qp::Options given = options;
    given.verify = verify;
    given.gradient_given = true;
    out.result = qp::solve(*rows, problem, given, out.beta.data(), gradient.data(), own);
    CHECK(out.beta == alone.beta);
    CHECK((gradient == of_float) == (grace == 0));
    CHECK_NOTHROW(monitor.poll());
    return out;
  };
  for (const qp::Verify verify : {qp::Verify::report, qp::Verify::solution, qp::Verify::violation}) {
    for (const int threads : {1, 2}) {
      const VerifyOutcome late = judged(verify, 0, threads);
      CHECK(late.result.stop_reason == StopReason::cancelled);
      CHECK(late.result.violation == alone.result.violation);
      CHECK(late.result.objective == doctest::Approx(alone.result.objective).epsilon(1e-9));
      const VerifyOutcome in_time = judged(verify, 1e6, threads);
      CHECK(in_time.result.violation > 3 * options.tol);
    }
  }
}

TEST_CASE("A solve that ends in double is left after the end of the call: the solution is what it was") {
  const RbfProblem p(400, 2, 1.0, 1e7, 5, 0.3);
  const qp::Problem problem = p.problem();
  const auto rows = p.rows<float>();
  std::vector<double> start(problem.n, 0.0);
  for (const double sign : {1.0, -1.0})
    start[static_cast<std::size_t>(std::find(p.q.begin(), p.q.end(), sign) - p.q.begin())] = sign * 1e7;
  qp::Options options;
  options.tol = 1e-4;
  const Hooks hooks;
  for (const double grace : {0.0, 1e6}) {
    base::Monitor monitor(hooks, 1e-9, grace);
    base::ThreadPool pool(1, [&monitor] { monitor.poll(); });
    base::Context context{&pool, &monitor, 1, std::size_t{64} << 20};
    std::vector<double> beta = start, gradient(problem.n);
    const qp::Result result = qp::solve(*rows, problem, options, beta.data(), gradient.data(), context);
    CHECK(result.stop_reason == StopReason::cancelled);
    CHECK(result.in_double == (grace > 0));
    CHECK(beta == start);
    for (Index i = 0; i < problem.n; ++i) {
      double g = problem.q[i];
      for (Index j = 0; j < problem.n; ++j) g -= start[j] * p.entry(i, j);
      CHECK(std::abs(gradient[i] - g) < (grace > 0 ? 1e-6 : 10.0));
    }
  }
}

TEST_CASE_TEMPLATE("A given matrix of inner products of features far from 0, as float and as double", Given, float, double) {
  const Index n = 300, d = 5;
  handmade::Random random(3);
  std::vector<double> x(n * d), q, lo, hi;
  for (double& v : x) v = 30.0 + random.uniform();
  std::vector<Given> k(n * n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double inner = 0;
      for (Index c = 0; c < d; ++c) inner += x[i * d + c] * x[j * d + c];
      k[i * n + j] = static_cast<Given>(inner);
    }
    const bool positive = x[i * d] + 0.3 * random.uniform() > 30.65;
    q.push_back(positive ? 1 : -1);
    lo.push_back(positive ? 0 : -10);
    hi.push_back(positive ? 10 : 0);
  }
  const qp::Problem problem{n, q.data(), lo.data(), hi.data(), true};
  const auto rows = kernel_matrix::make_precomputed_rows<float>(dense(k.data(), n, n));
  const VerifyOutcome out = solved(*rows, problem, {});
  const Truth truth = truth_of(problem, out.beta, [&](Index i, Index j) { return static_cast<double>(k[i * n + j]); });
  if (out.result.stop_reason == StopReason::converged) CHECK(truth.violation < 1.1e-3);
  CHECK(out.result.violation == doctest::Approx(truth.violation).epsilon(0.1));
  CHECK(out.result.objective == doctest::Approx(truth.objective).epsilon(1e-6));
}

TEST_CASE("In double, where its own rounding is not small, the gradient is formed anew") {
  const RbfProblem p(400, 2, 1.0, 1e9, 5, 0.3);
  qp::Options options;
  options.tol = 1e-5;
  options.max_iter = 20000;
  const auto rows = p.rows<double>();
  const VerifyOutcome out = solved(*rows, p.problem(), options);
  const Truth truth = truth_of(p.problem(), out.beta, [&](Index i, Index j) { return p.entry(i, j); });
  CHECK(out.result.violation == doctest::Approx(truth.violation).epsilon(0.05));
  CHECK(out.result.objective == doctest::Approx(truth.objective).epsilon(1e-6));
}

TEST_CASE("In double, what its rounding may hide is counted: small, the solve goes on below it; large, nobody can tell") {
  const RbfProblem p(300, 2, 1.0, 1e3, 5, 0.3);
  qp::Options options;
  options.tol = 1e-3;
  handmade::FunctionRows<double> rows(p.n, [&](Index i, Index j) { return p.entry(i, j); });
  kernels::Rounding rounding = rows.rounding();
  const VerifyOutcome before = solved(rows, p.problem(), options);
  REQUIRE(before.result.stop_reason == StopReason::converged);
  double norm1 = 0;
  for (const double b : before.beta) norm1 += std::abs(b);
  const auto hides = [&](double share) {
    rounding.largest = share * options.tol / (2.0 * norm1);
    rows.set_exact(nullptr, rounding);
    return solved(rows, p.problem(), options).result;
  };
  for (const double share : {0.1, 0.4}) {
    const qp::Result result = hides(share);
    CHECK(result.stop_reason == StopReason::converged);
    CHECK(result.violation < (1.0 - 0.95 * share) * options.tol);
  }
  const qp::Result result = hides(1.2);
  CHECK(result.stop_reason == StopReason::stagnated);
  CHECK(result.violation < options.tol);
}

TEST_CASE("A solve that was kept has the gradient of its own precision again, and without one no kernel value is computed") {
  const RbfProblem p(600, 2, 1.0, 1e4, 5, 0.3);
  qp::Options options;
  options.tol = 1e-6;
  options.verify = qp::Verify::violation;
  handmade::Call call;
  base::Checkpoint checkpoint({}, 1e9, [](const base::Checkpoint::Entries&) {});
  const auto solve = [&](const auto& rows, std::vector<double>& beta, double* gradient) {
    base::Place place(checkpoint);
    call.context.place = &place;
    beta.assign(p.q.size(), 0.0);
    return qp::solve(rows, p.problem(), options, beta.data(), gradient, call.context);
  };
  std::vector<double> beta, g(p.q.size()), again;
  REQUIRE(solve(*p.rows<float>(), beta, nullptr).in_double);
  const auto rows = p.rows<float>();
  const std::int64_t before = rows->n_values();
  CHECK(solve(*rows, again, nullptr).in_double);
  CHECK(again == beta);
  CHECK(rows->n_values() == before);
  solve(*rows, again, g.data());
  double norm = 0;
  for (const double b : beta) norm += b * b;
  CHECK(std::sqrt(norm) * 1e-8 > 1e-5);  // what float values are off by is seen
  double off = 0;
  for (Index i = 0; i < p.n; ++i) {
    double k_beta = 0;
    for (Index j = 0; j < p.n; ++j) k_beta += beta[j] * p.entry(i, j);
    off = std::max(off, std::abs(g[i] - (p.q[i] - k_beta)));
  }
  CHECK(off < 1e-7);
}
