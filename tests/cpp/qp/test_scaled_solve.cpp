// The duality gap from what can still move, against primal and dual objectives; solutions that are small in the unit of tol.
#include "qp/scaled_solve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "qp/matrix_rows.hpp"

using namespace dcsvm;

namespace {

double near_points(Index i, Index j) {
  const double d = static_cast<double>(i % 23 - j % 23) / 5.0, e = static_cast<double>(i / 23 - j / 23) / 3.0;
  return std::exp(-0.7 * (d * d + e * e));
}

struct ScaledProblem {
  ScaledProblem(Index count, double unit, bool grouped) : n(count) {
    base::Random random(5);
    for (Index i = 0; i < n; ++i) {
      const double y = i % 2 == 0 ? 1.0 : -1.0, bound = unit * (0.2 + random.uniform());
      q.push_back(grouped ? 0.0 : y + 0.5 * random.uniform());
      lo.push_back(y > 0 ? 0.0 : -bound);
      hi.push_back(y > 0 ? bound : 0.0);
      beta.push_back((y > 0 ? hi : lo).back() * random.uniform());
      group.push_back(y > 0 ? 0 : 1);
    }
  }
  qp::Problem view(bool equality, bool grouped) const {
    return {n, q.data(), lo.data(), hi.data(), equality, grouped ? group.data() : nullptr};
  }
  std::vector<double> gradient(const std::vector<double>& b) const {
    std::vector<double> g(q);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) g[i] -= b[j] * near_points(i, j);
    }
    return g;
  }
  Index n;
  std::vector<double> q, lo, hi, beta;
  std::vector<std::uint8_t> group;
};

// min over t of t s + sum over the group's variables of the larger of hi (slope - t) and lo (slope - t): it is at one of the
// slopes.
double piecewise_linear(const ScaledProblem& p, const std::vector<double>& slope, bool equality, bool grouped) {
  const auto value = [&](double t, int c) {
    double sum = 0;
    for (Index i = 0; i < p.n; ++i) {
      if (grouped && p.group[i] != c) continue;
      sum += t * p.beta[i] + std::max(p.hi[i] * (slope[i] - t), p.lo[i] * (slope[i] - t));
    }
    return sum;
  };
  if (!equality) return value(0.0, 0);
  double all = 0;
  for (int c = 0; c < (grouped ? 2 : 1); ++c) {
    double least = HUGE_VAL;
    for (Index i = 0; i < p.n; ++i) least = std::min(least, value(slope[i], c));
    all += least;
  }
  return all;
}

}  // namespace

TEST_CASE("duality_gap: primal and dual objective, and those at w = 0, with and without sums that are kept") {
  for (const bool grouped : {false, true}) {
    for (const bool equality : {true, false}) {
      if (grouped && !equality) continue;
      const ScaledProblem p(60, 0.7, grouped);
      const std::vector<double> g = p.gradient(p.beta);
      double square = 0, linear = 0;
      for (Index i = 0; i < p.n; ++i) {
        square += p.beta[i] * (p.q[i] - g[i]);
        linear += p.beta[i] * p.q[i];
      }
      const double dual = linear - 0.5 * square, primal = 0.5 * square + piecewise_linear(p, g, equality, grouped);
      const qp::Gap gap = qp::duality_gap(p.view(equality, grouped), p.beta.data(), g.data());
      CHECK(gap.left == doctest::Approx(primal - dual).epsilon(1e-10));
      CHECK(gap.gained == doctest::Approx(piecewise_linear(p, p.q, equality, grouped) - dual).epsilon(1e-10));
    }
  }
}

TEST_CASE_TEMPLATE("solve_to_scale: a box of any size is solved to the same relative gap", T, float, double) {
  constexpr Index n = 120;
  const handmade::FunctionRows<T> rows(n, near_points);
  base::ThreadPool pool(1);
  base::Context context;
  context.pool = &pool;
  context.cap_bytes = std::size_t{1} << 24;
  for (const bool equality : {true, false}) {
    for (const double unit : {1e-9, 1e-6, 1e-3, 1.0, 100.0}) {
      const ScaledProblem p(n, unit, false);
      const qp::Problem problem = p.view(equality, false);
      qp::Options options;
      std::vector<double> alone(n, 0.0), beta(n, 0.0), g(n);
      options.absolute = true;
      const qp::Result absolute = qp::solve_to_scale(rows, problem, options, alone.data(), nullptr, context);
      options.absolute = false;
      const qp::Result found = qp::solve_to_scale(rows, problem, options, beta.data(), g.data(), context);
      CAPTURE(unit);
      CAPTURE(equality);
      CHECK(found.stop_reason == StopReason::converged);
      CHECK(found.violation < found.tol);
      CHECK(qp::duality_gap(problem, beta.data(), p.gradient(beta).data()).relative() <=
            1.1 * qp::Options().allowed_gap * options.tol);
      if (absolute.relative_gap <= qp::Options().allowed_gap * options.tol) {
        CHECK(beta == alone);  // nothing changes where tol is small beside the solution
        CHECK(found.tol == options.tol);
      } else {
        CHECK(found.tol < options.tol);
        CHECK(found.objective < absolute.objective);
      }
    }
  }
}

// A few steps left: what they lead to was judged at their own tolerance alone.
TEST_CASE_TEMPLATE("solve_to_scale: without steps left for more, the solution is that of tol, and says how far it is", T, float,
                   double) {
  constexpr Index n = 120;
  const handmade::FunctionRows<T> rows(n, near_points);
  base::ThreadPool pool(1);
  base::Context context;
  context.pool = &pool;
  context.cap_bytes = std::size_t{1} << 24;
  ScaledProblem p(n, 1e-6, false);
  for (Index i = 0; i < n; ++i) {  // which of the many rows of label 1 have weight is left open by tol
    p.q[i] = i % 2 == 0 ? 1.0 : -1.0;
    p.hi[i] *= 3.0;
  }
  qp::Options options;
  options.absolute = true;
  std::vector<double> alone(n, 0.0), beta(n, 0.0);
  const qp::Result absolute = qp::solve_to_scale(rows, p.view(true, false), options, alone.data(), nullptr, context);
  options.absolute = false;
  options.max_iter = absolute.n_iter + (std::is_same_v<T, float> ? 3 : 0);
  const qp::Result found = qp::solve_to_scale(rows, p.view(true, false), options, beta.data(), nullptr, context);
  CHECK(found.stop_reason == StopReason::converged);
  CHECK(beta == alone);
  CHECK(found.tol == options.tol);
  CHECK(found.relative_gap > options.allowed_gap * options.tol);
  CHECK(found.relative_gap == absolute.relative_gap);
}
