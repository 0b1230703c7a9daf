// The solver on matrices small enough to know the answer, or to find it slowly.
#include <chrono>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "qp/matrix_rows.hpp"

using namespace dcsvm;
using handmade::Call;
using handmade::measure;
using handmade::Qp;

namespace {

Qp make_qp(std::vector<double> k, std::vector<double> q, std::vector<double> lo, std::vector<double> hi, bool equality) {
  Qp p;
  p.n = static_cast<Index>(q.size());
  p.k = std::move(k);
  p.q = std::move(q);
  p.lo = std::move(lo);
  p.hi = std::move(hi);
  p.equality = equality;
  return p;
}

// A start inside the box that keeps the sum at `sum` of the lower corner's nearest feasible point.
std::vector<double> random_feasible(const Qp& p, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> beta(p.n);
  double plus = 0, minus = 0;
  for (Index i = 0; i < p.n; ++i) {
    const double end = p.hi[i] > 0 ? p.hi[i] : p.lo[i];
    const double u = random.uniform();
    beta[i] = u < 0.3 ? 0.0 : u > 0.8 ? end : end * random.uniform();
    (beta[i] > 0 ? plus : minus) += beta[i];
  }
  if (!p.equality) return beta;
  const double target = std::min(plus, -minus);
  for (double& b : beta) b *= b > 0 ? target / plus : target / -minus;
  return beta;
}

void check_optimal(const Qp& p, const std::vector<double>& beta, const qp::Result& result, double tol) {
  const auto m = measure(p, beta);
  CHECK(result.stop_reason == StopReason::converged);
  CHECK(m.feasible);
  CHECK(m.violation < tol);
  CHECK(result.violation < tol);
  CHECK(std::abs(result.violation - m.violation) < 1e-6 * tol + 1e-11);
  CHECK(std::abs(result.objective - m.objective) < 1e-10 * (1 + std::abs(m.objective)));
  Index support = 0;
  for (const double b : beta) support += b != 0.0;
  CHECK(result.n_support == support);
}

}  // namespace

TEST_CASE_TEMPLATE("two variables: free, bounded and unbounded by hand", T, float, double) {
  // Points +1 at x and -1 at y with K = I: beta = (a, -a), f = a^2 - 2a, a = min(1, C).
  for (const double C : {0.25, 1.0, 10.0}) {
    const Qp p = make_qp({1, 0, 0, 1}, {1, -1}, {0, -C}, {C, 0}, true);
    std::vector<double> beta(2, 0.0), g;
    const auto result = handmade::solve<T>(p, beta, 1e-6, true, -1, &g);
    const double a = std::min(1.0, C);
    CHECK(beta[0] == doctest::Approx(a));
    CHECK(beta[1] == doctest::Approx(-a));
    CHECK(result.objective == doctest::Approx(a * a - 2 * a));
    CHECK(result.bias == doctest::Approx(0.0));
    CHECK(g[0] == doctest::Approx(1 - a));
    CHECK(g[1] == doctest::Approx(a - 1));
    check_optimal(p, beta, result, 1e-6);
  }
  // Linear kernel, x = 2 (+1) and x = 0 (-1): w = beta_0 * 2 = 1, b = -1.
  const Qp line = make_qp({4, 0, 0, 0}, {1, -1}, {0, -9}, {9, 0}, true);
  std::vector<double> beta(2, 0.0);
  const auto result = handmade::solve<T>(line, beta, 1e-6);
  CHECK(beta[0] == doctest::Approx(0.5));
  CHECK(result.bias == doctest::Approx(-1.0));
}

TEST_CASE_TEMPLATE("without equality each variable of a diagonal problem is clipped on its own", T, float, double) {
  Qp p = make_qp({2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}, {1, -1, 3, -1}, {0, -9, 0, -2}, {9, 0, 1, 0}, false);
  std::vector<double> beta(4, 0.0);
  const auto result = handmade::solve<T>(p, beta, 1e-6);
  CHECK(beta[0] == doctest::Approx(0.5));
  CHECK(beta[1] == doctest::Approx(-0.25));
  CHECK(beta[2] == 1.0);   // wants 3
  CHECK(beta[3] == -2.0);  // no curvature: goes to its bound
  CHECK(result.bias == 0.0);
  check_optimal(p, beta, result, 1e-6);
}

TEST_CASE("degenerate sizes: nothing, one variable, everything fixed, one side empty") {
  for (const bool equality : {false, true}) {
    std::vector<double> none;
    CHECK(handmade::solve<double>(make_qp({}, {}, {}, {}, equality), none, 1e-3).stop_reason == StopReason::converged);

    std::vector<double> one(1, 0.0);
    const Qp single = make_qp({2}, {1}, {0}, {5}, equality);
    check_optimal(single, one, handmade::solve<double>(single, one, 1e-6), 1e-6);
    CHECK(one[0] == (equality ? 0.0 : 0.5));  // alone it cannot move when the sum is kept

    const Qp fixed = make_qp({1, 0, 0, 1}, {1, -1}, {0.5, 0}, {0.5, 0}, equality);
    std::vector<double> beta{0.5, 0};
    const auto result = handmade::solve<double>(fixed, beta, 1e-6);
    CHECK(beta == std::vector<double>{0.5, 0});
    CHECK(result.n_iter == 0);
    check_optimal(fixed, beta, result, 1e-6);
  }
  // All of one label, with equality: zero is the only feasible point.
  const Qp sided = make_qp({1, 0, 0, 1}, {1, 1}, {0, 0}, {3, 3}, true);
  std::vector<double> beta(2, 0.0);
  const auto result = handmade::solve<double>(sided, beta, 1e-6);
  CHECK(beta == std::vector<double>{0, 0});
  CHECK(result.bias == 1.0);
  check_optimal(sided, beta, result, 1e-6);
}

TEST_CASE_TEMPLATE("random problems: the certificate holds and the slow twin finds no better", T, float, double) {
  std::uint64_t seed = 0;
  for (const Index n : {3, 17, 60, 150, 300}) {
    for (const Index rank : {n, std::max<Index>(2, n / 4)}) {  // regular, singular
      for (const bool equality : {false, true}) {
        for (const double C : {0.1, 10.0}) {
          Qp p = handmade::random_qp(n, rank, equality, C, ++seed);
          p.round_to<T>();
          const double tol = sizeof(T) == 4 ? 1e-4 : 1e-7;
          std::vector<double> with(n, 0.0), without(static_cast<std::size_t>(n), 0.0);
          CAPTURE(n);
          CAPTURE(equality);
          CAPTURE(C);
          const auto shrunk = handmade::solve<T>(p, with, tol, true), full = handmade::solve<T>(p, without, tol, false);
          check_optimal(p, with, shrunk, tol);
          check_optimal(p, without, full, tol);
          const double best = measure(p, handmade::slow_solve(p, std::vector<double>(n, 0.0), 0.1 * tol)).objective;
          const double room = tol * static_cast<double>(n) * C;  // what the tolerance leaves open
          CHECK(std::abs(shrunk.objective - best) < room);
          CHECK(std::abs(full.objective - best) < room);
          if (equality) CHECK(std::abs(measure(p, with).sum) < 1e-12 * static_cast<double>(n) * C);
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("fixed variables stay, and a sum that is not zero is kept", T, float, double) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Qp p = handmade::random_qp(80, 80, true, 1.0, seed);
    p.round_to<T>();
    auto beta = random_feasible(p, seed + 50);
    base::Random random(seed);
    for (Index i = 0; i < p.n; ++i) {
      if (random.uniform() < 0.2) p.lo[i] = p.hi[i] = beta[i] = 0.7 * (2 * random.uniform() - 1);
    }
    const auto start = beta;
    const double sum = measure(p, beta).sum;
    REQUIRE(std::abs(sum) > 1e-3);
    const auto result = handmade::solve<T>(p, beta, 1e-4);
    check_optimal(p, beta, result, 1e-4);
    CHECK(std::abs(measure(p, beta).sum - sum) < 1e-12);
    for (Index i = 0; i < p.n; ++i) {
      if (p.lo[i] == p.hi[i]) CHECK(beta[i] == start[i]);
    }
    const double best = measure(p, handmade::slow_solve(p, start, 1e-6)).objective;
    CHECK(std::abs(result.objective - best) < 1e-4 * 80);
  }
}

TEST_CASE_TEMPLATE("warm starts: the solution needs no step, any feasible point leads to it", T, float, double) {
  for (const bool equality : {false, true}) {
    Qp p = handmade::random_qp(120, 60, equality, 2.0, 77);
    p.round_to<T>();
    std::vector<double> cold(120, 0.0);
    const double tol = 1e-4;
    const auto first = handmade::solve<T>(p, cold, tol);
    auto again = cold;
    const auto second = handmade::solve<T>(p, again, tol);
    CHECK(second.n_iter == 0);
    CHECK(again == cold);
    check_optimal(p, again, second, tol);
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      auto beta = random_feasible(p, seed);
      const auto warm = handmade::solve<T>(p, beta, tol);
      check_optimal(p, beta, warm, tol);
      CHECK(std::abs(warm.objective - first.objective) < tol * 120 * 2);
    }
  }
}

TEST_CASE("max_iter is kept to the step, from a feasible point to a feasible point") {
  for (const bool equality : {false, true}) {
    const Qp p = handmade::random_qp(200, 200, equality, 5.0, 5);
    double last = 1e300;
    for (const std::int64_t steps : {0, 1, 2, 7, 50}) {
      std::vector<double> beta(200, 0.0);
      const auto result = handmade::solve<double>(p, beta, 1e-6, true, steps);
      CHECK(result.stop_reason == StopReason::max_iter);
      CHECK(result.n_iter == steps);
      const auto m = measure(p, beta);
      CHECK(m.feasible);
      if (equality) CHECK(std::abs(m.sum) < 1e-12);
      CHECK(result.violation == doctest::Approx(m.violation));
      CHECK(result.objective == doctest::Approx(m.objective));
      CHECK(m.objective < last + (steps == 0 ? 1e300 : 0.0));
      last = m.objective;
    }
  }
}

TEST_CASE_TEMPLATE("duplicated rows: a singular K with zero curvature between them", T, float, double) {
  for (const bool equality : {false, true}) {
    const Qp base = handmade::random_qp(40, 10, equality, 3.0, 9);
    Qp p = base;  // every variable three times, once with the other label
    p.n = 120;
    p.k.assign(p.n * p.n, 0.0);
    p.q.clear(), p.lo.clear(), p.hi.clear();
    for (Index i = 0; i < p.n; ++i) {
      for (Index j = 0; j < p.n; ++j) p.k[i * p.n + j] = base.entry(i % 40, j % 40);
      const bool flip = i >= 80;
      p.q.push_back(flip ? -base.q[i % 40] : base.q[i % 40]);
      p.lo.push_back(flip ? -base.hi[i % 40] : base.lo[i % 40]);
      p.hi.push_back(flip ? -base.lo[i % 40] : base.hi[i % 40]);
    }
    p.round_to<T>();
    std::vector<double> beta(120, 0.0);
    const auto result = handmade::solve<T>(p, beta, 1e-3);
    check_optimal(p, beta, result, 1e-3);
    const double best = measure(p, handmade::slow_solve(p, std::vector<double>(120, 0.0), 1e-5)).objective;
    CHECK(std::abs(result.objective - best) < 1e-3 * 120 * 3);
  }
}

TEST_CASE_TEMPLATE("an indefinite K ends with a named reason and a feasible point", T, float, double) {
  for (const bool equality : {false, true}) {
    for (std::uint64_t seed = 1; seed < 8; ++seed) {
      Qp p = handmade::random_qp(150, 3, equality, 10.0, seed);
      for (double& v : p.k) v = std::tanh(2 * v - 1.0);  // a sigmoid kernel
      p.round_to<T>();
      std::vector<double> beta(150, 0.0);
      const auto result = handmade::solve<T>(p, beta, 1e-3);
      const auto m = measure(p, beta);
      CHECK(m.feasible);
      CHECK(m.objective <= 1e-9);
      CHECK(result.violation == doctest::Approx(m.violation).epsilon(1e-6));
      if (result.stop_reason == StopReason::converged)
        CHECK(m.violation < 1e-3);
      else
        CHECK(result.stop_reason == StopReason::stagnated);
    }
  }
}

TEST_CASE("a tolerance below what kernel values in float resolve ends as stagnated or truly converged") {
  for (const bool equality : {false, true}) {
    Qp p = handmade::random_qp(200, 20, equality, 1e4, 3);
    p.round_to<float>();
    std::vector<double> beta(200, 0.0);
    const auto result = handmade::solve<float>(p, beta, 1e-13, true, 2000000);
    const auto m = measure(p, beta);
    CHECK(m.feasible);
    CHECK(result.violation == doctest::Approx(m.violation).epsilon(1e-3));
    if (result.stop_reason == StopReason::converged) CHECK(m.violation < 1e-11);
  }
}

TEST_CASE_TEMPLATE("kernel values that are not finite end with an error, not with a model", T, float, double) {
  for (const bool equality : {false, true}) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Qp p = handmade::random_qp(30, 30, equality, 1.0, 3);
      for (Index j = 0; j < 30; ++j) p.k[7 * 30 + j] = p.k[j * 30 + 7] = bad;
      std::vector<double> beta(30, 0.0);
      CHECK_THROWS_AS(handmade::solve<T>(p, beta, 1e-3), DataError);
    }
  }
}

TEST_CASE("an interrupt at any poll leaves through solve") {
  const Qp p = handmade::random_qp(100, 100, true, 1.0, 4);
  int needed = 0;
  {
    Call call(1, std::size_t{1} << 24, [&] { ++needed; });
    std::vector<double> beta(100, 0.0);
    qp::solve<double>(p.rows<double>(), p.problem(), {1e-6, -1, true}, beta.data(), nullptr, call.context);
  }
  REQUIRE(needed > 3);
  for (const int threads : {1, 3}) {
    // With several threads the caller polls for the chunks that it happens to take, and once a round for certain.
    const int last = threads == 1 ? std::min(needed, 12) : 2;
    for (int when = 1; when <= last; ++when) {
      int polls = 0;
      Call call(threads, std::size_t{1} << 24, [&] {
        if (++polls == when) throw Interrupted();
      });
      std::vector<double> beta(100, 0.0);
      CHECK_THROWS_AS(qp::solve<double>(p.rows<double>(), p.problem(), {1e-6, -1, true}, beta.data(), nullptr, call.context),
                      Interrupted);
    }
  }
}
