// Two equality constraints, one for each group: by hand, against the slow twin, through every path of the block solver.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "qp/matrix_rows.hpp"
#include "qp/rbf_problem.hpp"

using namespace dcsvm;
using handmade::measure;
using handmade::Qp;

namespace {

// Signs as groups and a start inside the box, as nu-SVC has them: q = 0, sums kept.
Qp nu_problem(Index n, Index rank, std::uint64_t seed) {
  Qp p = handmade::random_qp(n, rank, true, 1.0, seed);
  for (Index i = 0; i < n; ++i) {
    p.group.push_back(p.hi[i] > 0 ? 0 : 1);
    p.q[i] = 0;
  }
  return p;
}

std::vector<double> filled(const Qp& p, double share) {
  std::vector<double> beta(p.n, 0.0);
  for (Index i = 0; i < p.n; ++i) beta[i] = share * (p.hi[i] > 0 ? p.hi[i] : p.lo[i]);
  return beta;
}

std::vector<double> group_sums(const Qp& p, const std::vector<double>& beta) {
  std::vector<double> sums(2, 0.0);
  for (Index i = 0; i < p.n; ++i) sums[p.group[i]] += beta[i];
  return sums;
}

void check_optimal(const Qp& p, const std::vector<double>& start, const std::vector<double>& beta, const qp::Result& result,
                   double tol) {
  const auto m = measure(p, beta);
  CHECK(result.stop_reason == StopReason::converged);
  CHECK(m.feasible);
  CHECK(m.violation < tol);
  CHECK(std::abs(result.violation - m.violation) < 1e-6 * tol + 1e-11);
  CHECK(std::abs(result.objective - m.objective) < 1e-10 * (1 + std::abs(m.objective)));
  const auto before = group_sums(p, start), after = group_sums(p, beta);
  for (int c = 0; c < 2; ++c) CHECK(std::abs(before[c] - after[c]) < 1e-12 * static_cast<double>(p.n));
}

}  // namespace

TEST_CASE_TEMPLATE("groups by hand: mass moves within a group, never between them", T, float, double) {
  // K = diag(1, 3, 2, 2): group 0 shares 1 as 3/4 and 1/4, group 1 shares -1 equally.
  Qp p;
  p.n = 4;
  p.k = {1, 0, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2};
  p.q = {0, 0, 0, 0};
  p.lo = {0, 0, -1, -1};
  p.hi = {1, 1, 0, 0};
  p.group = {0, 0, 1, 1};
  std::vector<double> beta{0, 1, -1, 0};
  const auto start = beta;
  const auto result = handmade::solve<T>(p, beta, 1e-6);
  CHECK(beta[0] == doctest::Approx(0.75));
  CHECK(beta[1] == doctest::Approx(0.25));
  CHECK(beta[2] == doctest::Approx(-0.5));
  CHECK(beta[3] == doctest::Approx(-0.5));
  CHECK(result.bias == doctest::Approx(-0.75));  // the multipliers: g of the free variables
  CHECK(result.bias1 == doctest::Approx(1.0));
  check_optimal(p, start, beta, result, 1e-6);
}

TEST_CASE("a group without a pair to move, and an empty one, are solved") {
  Qp p;
  p.n = 3;
  p.k = {2, 0, 0, 0, 1, 0, 0, 0, 1};
  p.q = {5, 0, 0};
  p.lo = {0, 0, 0};
  p.hi = {1, 1, 1};
  p.group = {1, 0, 0};
  std::vector<double> beta{0.5, 1, 0};
  const auto result = handmade::solve<double>(p, beta, 1e-8);
  CHECK(beta[0] == 0.5);
  CHECK(beta[1] == doctest::Approx(0.5));
  CHECK(result.bias1 == doctest::Approx(4.0));
  p.group = {1, 1, 1};
  beta = {0.5, 1, 0};
  const auto single = handmade::solve<double>(p, beta, 1e-8);
  p.group.clear();
  std::vector<double> other{0.5, 1, 0};
  const auto plain = handmade::solve<double>(p, other, 1e-8);
  for (Index i = 0; i < 3; ++i) CHECK(beta[i] == doctest::Approx(other[i]));
  CHECK(single.bias1 == doctest::Approx(plain.bias));
}

TEST_CASE_TEMPLATE("random problems in two groups: the certificate holds and the slow twin finds no better", T, float, double) {
  std::uint64_t seed = 0;
  for (const Index n : {5, 40, 200}) {
    for (const Index rank : {n, std::max<Index>(2, n / 4)}) {
      for (const double share : {0.1, 0.6}) {
        Qp p = nu_problem(n, rank, ++seed);
        p.round_to<T>();
        const double tol = sizeof(T) == 4 ? 1e-4 : 1e-7;
        const auto start = filled(p, share);
        CAPTURE(n);
        CAPTURE(share);
        const double best = measure(p, handmade::slow_solve(p, start, 0.1 * tol)).objective;
        for (const bool shrinking : {true, false}) {
          auto beta = start;
          const auto result = handmade::solve<T>(p, beta, tol, shrinking);
          check_optimal(p, start, beta, result, tol);
          CHECK(std::abs(result.objective - best) < tol * static_cast<double>(n));
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("two groups of more variables than a tile: parts, shrinking, threads", T, float, double) {
  const Index n = 2400;  // above the whole tile's 2048
  handmade::RbfProblem p(n, 3, 2.0, 1.0, 5);
  std::vector<double> start;
  std::vector<std::uint8_t> group;
  for (Index i = 0; i < n; ++i) {
    group.push_back(p.q[i] > 0 ? 0 : 1);
    start.push_back(0.2 * p.q[i]);
    p.q[i] = 0;
  }
  auto problem = p.problem();
  problem.group = group.data();
  const auto rows = p.rows<T>();
  std::vector<double> first;
  for (const int threads : {1, 3}) {
    for (const bool shrinking : {true, false}) {
      handmade::Call call(threads);
      auto beta = start;
      const auto result = qp::solve<T>(*rows, problem, {1e-3, -1, shrinking}, beta.data(), nullptr, call.context);
      const auto m = measure(problem, [&](Index i, Index j) { return p.entry(i, j); }, beta);
      CHECK(result.stop_reason == StopReason::converged);
      CHECK(m.feasible);
      CHECK(m.violation < 1.1e-3);
      CHECK(std::abs(m.sum - std::accumulate(start.begin(), start.end(), 0.0)) < 1e-9);
      if (shrinking && threads == 1) first = beta;
      if (shrinking) CHECK(beta == first);
    }
  }
}
