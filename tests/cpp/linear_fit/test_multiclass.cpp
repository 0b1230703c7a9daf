// Crammer and Singer's problem from the primal side against the sequential dual method, and its report against plain sums.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/call.hpp"
#include "doctest/doctest.h"
#include "linear/samples.hpp"
#include "linear_fit/multiclass.hpp"

using namespace dcsvm;
using namespace dcsvm::test;

namespace {

constexpr std::size_t kClassesCap = std::size_t{1} << 30;

/// Rows of different prices, some of them 0; the sample has empty rows and rows twice.
struct ClassesCase {
  Sample s;
  int classes;
  std::vector<double> C;

  ClassesCase(Index rows, Index cols, int number, double price, std::uint64_t seed, double unit = 1.0)
      : s(rows, cols, number, 0.7, seed), classes(number), C(rows) {
    for (Index i = 0; i < rows; ++i) C[i] = (i % 7 == 3 ? 0.0 : price * (1.0 + static_cast<double>(i % 3))) / (unit * unit);
    for (double& v : s.x) v *= unit;
    for (double& v : s.values) v *= unit;
  }

  linear_fit::Solution solve(bool proximal, double tol, int threads, LinearProblemReport& report,
                             std::int64_t max_iter = 0) const {
    const Hooks hooks;
    base::Call call(threads, 0, 100, hooks);
    const products::Matrix x(s.csr(), -1.0, kClassesCap, call.pool);
    linear_fit::MulticlassProblem p;
    p.x = p.exact_x = &x;
    p.classes = classes;
    for (const double y : s.y) p.class_of.push_back(static_cast<int>(y));
    p.C = C;
    linear_fit::SolveOptions options;
    options.tol = tol;
    options.max_iter = max_iter;
    const linear_fit::Solution found = proximal ? linear_fit::solve_multiclass_lagrangian(p, options, call.context)
                                                : linear_fit::solve_multiclass_descent(p, options, call.context);
    report = certificate(p, found, call.pool).report;
    return found;
  }

  /// 1/2 |w|^2 + sum of the losses.
  double objective(const std::vector<double>& w) const {
    double sum = 0;
    for (const double v : w) sum += 0.5 * v * v;
    for (Index i = 0; i < s.n; ++i) {
      std::vector<double> z(classes, 0.0);
      const int y = static_cast<int>(s.y[i]);
      for (Index j = 0; j < s.d; ++j) {
        for (int m = 0; m < classes; ++m) z[m] += w[j * classes + m] * s.x[i * s.d + j];
      }
      double most = 0;
      for (int m = 0; m < classes; ++m) most = std::max(most, m == y ? 0.0 : 1.0 + z[m] - z[y]);
      sum += C[i] * most;
    }
    return sum;
  }
};

}  // namespace

TEST_CASE("Crammer and Singer from the primal side: the sequential method's optimum, and an honest report") {
  for (const auto& [number, price] : {std::pair<int, double>{2, 0.3}, {3, 2.0}, {9, 0.02}, {9, 5.0}}) {
    const ClassesCase c(600, 12, number, price, 7);
    LinearProblemReport here, there;
    const linear_fit::Solution found = c.solve(true, 1e-5, 1, here);
    c.solve(false, 1e-5, 1, there);
    CAPTURE(c.classes);
    CHECK(here.stop_reason == StopReason::converged);
    CHECK(here.violation <= 1e-5);
    CHECK(here.primal_objective == doctest::Approx(c.objective(found.w)).epsilon(1e-11));
    CHECK(here.primal_objective == doctest::Approx(there.primal_objective).epsilon(1e-5));
    CHECK(here.dual_objective <= there.primal_objective * (1 + 1e-12));
    CHECK(here.primal_objective >= there.dual_objective * (1 - 1e-12));
    CHECK(here.dual_objective == doctest::Approx(here.primal_objective).epsilon(1e-4));
  }
}

TEST_CASE("Crammer and Singer: the unit of X does not matter, also where the optimum is w = 0 or C is small") {
  // With 9 classes no class is likely enough for a w other than 0. Powers of two round nothing.
  for (const auto& [number, price] : {std::pair<int, double>{2, 0.3}, {3, 2.0}, {3, 1e-9}, {9, 1e-9}, {9, 0.02}, {9, 5.0}}) {
    CAPTURE(number);
    CAPTURE(price);
    for (const bool proximal : {true, false}) {
      CAPTURE(proximal);
      LinearProblemReport one;
      const std::vector<double> w = ClassesCase(600, 12, number, price, 7).solve(proximal, 1e-3, 1, one).w;
      CHECK(one.stop_reason == StopReason::converged);
      for (const int power : {-27, -10, 10, 27}) {
        const double unit = std::ldexp(1.0, power);
        LinearProblemReport report;
        std::vector<double> scaled = ClassesCase(600, 12, number, price, 7, unit).solve(proximal, 1e-3, 1, report).w;
        for (double& v : scaled) v *= unit;
        CHECK(report.stop_reason == StopReason::converged);
        CHECK(report.n_iter == one.n_iter);
        CHECK(report.n_inner == one.n_inner);
        CHECK(scaled == w);
      }
    }
  }
}

TEST_CASE("Crammer and Singer from the primal side: the same bits for any number of threads, from a sample too") {
  const ClassesCase c(4000, 9, 5, 0.5, 8);
  LinearProblemReport report;
  const std::vector<double> w = c.solve(true, 0.04, 1, report).w;
  CHECK(report.stop_reason == StopReason::converged);
  for (const int threads : {2, 3}) CHECK(c.solve(true, 0.04, threads, report).w == w);
}

TEST_CASE("Crammer and Singer from the primal side: a limit of steps, and no row that takes part") {
  ClassesCase c(300, 8, 4, 1.0, 9);
  LinearProblemReport report;
  c.solve(true, 1e-6, 1, report, 3);
  CHECK(report.stop_reason == StopReason::max_iter);
  CHECK(report.n_iter == 3);
  CHECK(report.dual_objective <= report.primal_objective);
  std::fill(c.C.begin(), c.C.end(), 0.0);
  const linear_fit::Solution none = c.solve(true, 0.04, 1, report);
  CHECK(report.stop_reason == StopReason::converged);
  CHECK(std::count(none.w.begin(), none.w.end(), 0.0) == static_cast<std::ptrdiff_t>(none.w.size()));
}
