// A path of boxes ends where separate solves end.
#include "qp/path.hpp"

#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "qp/matrix_rows.hpp"
#include "qp/rbf_problem.hpp"

using namespace dcsvm;

namespace {

double smooth(Index i, Index j) {
  const double a = static_cast<double>(i % 37) / 9.0 - static_cast<double>(j % 37) / 9.0;
  const double b = std::floor(static_cast<double>(i) / 37.0) / 3.0 - std::floor(static_cast<double>(j) / 37.0) / 3.0;
  return std::exp(-1.5 * (a * a + b * b));
}

}  // namespace

TEST_CASE("path: objective, violation and bounds of every step as from zeros") {
  constexpr Index n = 300;
  const handmade::FunctionRows<double> rows(n, smooth);
  base::Random random(11);
  std::vector<double> q, lo, hi;
  for (Index i = 0; i < n; ++i) {
    const double y = random.uniform() < 0.3 + 0.4 * static_cast<double>(i % 2) ? 1.0 : -1.0, weight = i % 3 == 0 ? 2.0 : 1.0;
    q.push_back(y);
    lo.push_back(y > 0 ? 0.0 : -weight);
    hi.push_back(y > 0 ? weight : 0.0);
  }
  base::ThreadPool pool(1);
  base::Context context;
  context.pool = &pool;
  context.cap_bytes = std::size_t{1} << 26;
  const std::vector<double> scales = {0.05, 0.5, 0.5, 5.0, 200.0};
  for (const bool equality : {true, false}) {
    const qp::Problem unit{n, q.data(), lo.data(), hi.data(), equality};
    qp::Options options;
    options.tol = 1e-6;
    std::size_t next = 0;
    qp::solve_path(rows, unit, scales, options, context, {}, [&](std::size_t s, const double* beta, const qp::Result& result) {
      CHECK(s == next++);
      std::vector<double> lower(lo), upper(hi), alone(n, 0.0);
      for (std::size_t i = 0; i < lower.size(); ++i) {
        lower[i] *= scales[s];
        upper[i] *= scales[s];
      }
      const qp::Problem problem{n, q.data(), lower.data(), upper.data(), equality};
      const auto wanted = qp::solve(rows, problem, options, alone.data(), nullptr, context);
      CHECK(result.stop_reason == StopReason::converged);
      CHECK(result.violation < options.tol);
      CHECK(result.objective == doctest::Approx(wanted.objective).epsilon(1e-7));
      double sum = 0;
      bool inside = true;
      for (std::size_t i = 0; i < lower.size(); ++i) {
        inside = inside && beta[i] >= lower[i] && beta[i] <= upper[i];
        sum += beta[i];
      }
      CHECK(inside);
      if (equality) CHECK(std::abs(sum) < 1e-9 * scales[s] * n);
      if (s == 2) CHECK(result.n_iter == 0);  // the same box again
    });
    CHECK(next == scales.size());
  }
}
