// Each solver on handmade problems, judged by plain sums: a primal and a dual objective that agree prove both to be optimal.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/call.hpp"
#include "doctest/doctest.h"
#include "linear_fit/l1.hpp"
#include "linear_fit/losses.hpp"
#include "linear_fit/one_class.hpp"
#include "linear_fit/problem.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;
using linear_fit::Loss;

namespace {

constexpr Index kSolverRows = 200, kSolverCols = 9;

/// Noisy labels or targets, prices of several sizes, some of them 0.
linear_fit::Problem problem_on(const HandmadeMatrix& m, Loss loss, double C) {
  linear_fit::Problem p;
  p.x = &m.matrix;
  p.loss = loss;
  p.width = 0.1;
  const std::vector<double> noise = random_values(m.matrix.rows(), 1, 1.0, 21);
  for (Index i = 0; i < m.matrix.rows(); ++i) {
    const double z = m.x[i * m.matrix.features()] - 0.7 * m.x[i * m.matrix.features() + 3] + 0.4 * noise[i];
    p.y.push_back(linear_fit::of_targets(loss) ? z : z > 0 ? 1.0 : -1.0);
    p.C.push_back(i % 11 == 4 ? 0.0 : C * (1.0 + static_cast<double>(i % 3)));
  }
  return p;
}

double primal(const linear_fit::Problem& p, const std::vector<double>& w) {
  double sum = 0;
  for (Index j = 0; j < p.cols(); ++j) {
    if (p.is_penalized(j)) sum += p.l1() ? std::abs(w[j]) : 0.5 * w[j] * w[j];
  }
  for (Index i = 0; i < p.rows(); ++i) sum += p.row(i).value(p.x->dot(i, w.data()));
  return sum;
}

/// -infinity where alpha is not feasible. |w|_1: of alpha, made feasible.
double dual(const linear_fit::Problem& p, std::vector<double> alpha) {
  std::vector<double> u(p.cols(), 0.0);
  for (Index i = 0; i < p.rows(); ++i) p.x->add(i, alpha[i], u.data());
  double norm = 0, sum = 0;
  if (p.l1()) {
    double largest = 1;
    for (const double v : u) largest = std::max(largest, std::abs(v));
    for (double& a : alpha) a /= largest;
  } else {
    for (const double v : u) norm += 0.5 * v * v;
  }
  for (Index i = 0; i < p.rows(); ++i) sum += p.row(i).dual_term(alpha[i]);
  return sum - norm;
}

/// The dual variables that belong to w where the loss is smooth.
std::vector<double> minus_slopes(const linear_fit::Problem& p, const std::vector<double>& w) {
  std::vector<double> out;
  for (Index i = 0; i < p.rows(); ++i) out.push_back(p.C[i] > 0 ? -p.row(i).slope(p.x->dot(i, w.data())) : 0.0);
  return out;
}

/// The share by which the objective of a solution can be above the minimum.
double gap(const linear_fit::Problem& p, const linear_fit::Solution& s) {
  const double at = primal(p, s.w);
  return (at - dual(p, s.alpha.empty() ? minus_slopes(p, s.w) : s.alpha)) / at;
}

const Hooks kNoHooks;

}  // namespace

TEST_CASE("descent on the dual solves every loss, and says honestly how far it is") {
  base::Call call(1, 3, 100, kNoHooks);
  for (const Loss loss : test::all_losses()) {
    for (const double C : {0.01, 0.05}) {
      for (const double filled : {0.3, 1.0}) {
        CAPTURE(static_cast<int>(loss));
        CAPTURE(C);
        const HandmadeMatrix m(kSolverRows, kSolverCols, filled, 0.5, call.pool);
        const linear_fit::Problem p = problem_on(m, loss, C);
        linear_fit::SolveOptions options;
        options.tol = 1e-5;
        options.seed = 5;
        const linear_fit::Solution s = linear_fit::solve_dual_descent(p, options, call.context);
        CHECK(s.stop_reason == StopReason::converged);
        CHECK(s.w_is_sum);
        CHECK(gap(p, s) < 1e-4);
        CHECK(linear_fit::certificate(p, s, call.pool).confirms);
        for (Index i = 0; i < kSolverRows; ++i) CHECK((p.C[i] > 0 || s.alpha[i] == 0));
        std::vector<double> sum(p.cols(), 0.0);
        for (Index i = 0; i < kSolverRows; ++i) p.x->add(i, s.alpha[i], sum.data());
        CHECK(relative_difference(s.w, sum) < 1e-10);
        options.max_iter = 1;
        const linear_fit::Solution one = linear_fit::solve_dual_descent(p, options, call.context);
        CHECK(one.n_iter == 1);
        CHECK(one.stop_reason == StopReason::max_iter);
      }
    }
  }
}

TEST_CASE("descent on the dual goes on from the variables that it is given") {
  base::Call call(1, 3, 100, kNoHooks);
  const HandmadeMatrix m(kSolverRows, kSolverCols, 1.0, 0.5, call.pool);
  const linear_fit::Problem p = problem_on(m, Loss::squared_hinge, 1.0);
  linear_fit::SolveOptions options;
  options.tol = 1e-7;
  const linear_fit::Solution s = linear_fit::solve_dual_descent(p, options, call.context);
  options.start_alpha = &s.alpha;
  const linear_fit::Solution again = linear_fit::solve_dual_descent(p, options, call.context);
  CHECK(again.n_iter < s.n_iter / 2);
  CHECK(gap(p, again) < 1e-5);
}

TEST_CASE("Newton's method solves the smooth losses, with few columns and with many") {
  base::Call call(2, 3, 100, kNoHooks);
  for (const Loss loss : {Loss::logistic, Loss::squared_hinge, Loss::squared_tube}) {
    for (const Index cols : {kSolverCols, Index{260}}) {
      CAPTURE(static_cast<int>(loss));
      CAPTURE(cols);
      const HandmadeMatrix m(kSolverRows, cols, 0.4, 1.0, call.pool);
      linear_fit::Problem p = problem_on(m, loss, 2.0);
      linear_fit::SolveOptions options;
      options.relative_gap = 1e-10;
      const linear_fit::Solution s = linear_fit::solve_newton(p, options, call.context);
      CHECK(s.stop_reason == StopReason::converged);
      CHECK(gap(p, s) < 2e-10);
      options.start = &s.w;
      CHECK(linear_fit::solve_newton(p, options, call.context).n_iter == 0);
      options.start = nullptr;
      options.relative_gap = 0.0;
      options.tol = 1e-9;
      p.regularize_bias = false;  // no dual objective, but the gradient must vanish
      const linear_fit::Solution free = linear_fit::solve_newton(p, options, call.context);
      std::vector<double> g(p.cols(), 0.0);
      for (Index j = 0; j < p.cols(); ++j) g[j] = p.regularized(j) ? free.w[j] : 0.0;
      const std::vector<double> alpha = minus_slopes(p, free.w);
      for (Index i = 0; i < kSolverRows; ++i) p.x->add(i, -alpha[i], g.data());
      for (const double v : g) CHECK(std::abs(v) < 1e-6);
      CHECK(primal(p, free.w) <= primal(p, s.w));
    }
  }
}

TEST_CASE("the augmented Lagrangian method solves hinge and tube to the gap that is asked for") {
  base::Call call(2, 3, 100, kNoHooks);
  for (const Loss loss : {Loss::hinge, Loss::tube}) {
    for (const double C : {0.01, 1.0, 100.0}) {
      CAPTURE(static_cast<int>(loss));
      CAPTURE(C);
      const HandmadeMatrix m(kSolverRows, kSolverCols, 0.8, 1.0, call.pool);
      const linear_fit::Problem p = problem_on(m, loss, C);
      linear_fit::SolveOptions options;
      options.relative_gap = 1e-6;
      const linear_fit::Solution s = linear_fit::solve_augmented_lagrangian(p, options, call.context);
      CHECK(s.stop_reason == StopReason::converged);
      CHECK(s.rule == linear_fit::Rule::gap);
      CHECK(gap(p, s) < 1e-6 * (1 + 1e-6));
      options.tol = 1e-6;
      const linear_fit::Solution descent = linear_fit::solve_dual_descent(p, options, call.context);
      CHECK(dual(p, descent.alpha) <= primal(p, s.w) * (1 + 1e-12));  // which may need far more passes
      CHECK(primal(p, descent.w) >= dual(p, s.alpha) * (1 - 1e-12));
    }
  }
}

TEST_CASE("|w|_1: the matrix of few columns and the descent on columns end at the same optimum, with the same weights at 0") {
  base::Call call(2, 3, 100, kNoHooks);
  for (const Loss loss : {Loss::logistic, Loss::squared_hinge}) {
    for (const double C : {0.002, 0.05, 1.0}) {
      CAPTURE(static_cast<int>(loss));
      CAPTURE(C);
      const HandmadeMatrix m(kSolverRows, kSolverCols, 0.8, 1.0, call.pool);
      linear_fit::Problem p = problem_on(m, loss, C);
      p.penalty = {1.0, 0.0};
      const products::Columns columns(m.matrix, kAmpleCap, call.pool);
      linear_fit::SolveOptions options;
      options.tol = 1e-6;
      const linear_fit::Solution by_matrix = linear_fit::solve_l1(p, nullptr, options, call.context);
      const linear_fit::Solution by_columns = linear_fit::solve_l1(p, &columns, options, call.context);
      CHECK(by_matrix.stop_reason == StopReason::converged);
      CHECK(by_columns.stop_reason == StopReason::converged);
      CHECK(gap(p, by_matrix) < 1e-5);
      CHECK(gap(p, by_columns) < 1e-5);
      for (Index j = 0; j < p.cols(); ++j) CHECK((by_matrix.w[j] == 0) == (by_columns.w[j] == 0));
      if (C < 0.01) CHECK(std::count(by_matrix.w.begin(), by_matrix.w.end(), 0.0) > 0);
    }
  }
}

TEST_CASE("one class: bounds, the sum and the optimality conditions of the dual variables") {
  base::Call call(1, 3, 100, kNoHooks);
  for (const double nu : {0.05, 0.3, 0.8}) {
    CAPTURE(nu);
    const HandmadeMatrix m(kSolverRows, kSolverCols, 0.8, -1.0, call.pool);
    std::vector<Index> rows;
    for (Index i = 0; i < kSolverRows; ++i) {
      if (i % 7 != 2) rows.push_back(i);
    }
    linear_fit::SolveOptions options;
    options.tol = 1e-8;
    const linear_fit::OneClassProblem p{&m.matrix, rows, nu};
    const linear_fit::Solution s = linear_fit::solve_one_class(p, options, call.context);
    const LinearProblemReport report = certificate(p, s, call.pool).report;
    CHECK(report.stop_reason == StopReason::converged);
    double sum = 0;
    std::vector<double> w(kSolverCols, 0.0);
    for (Index i = 0; i < kSolverRows; ++i) {
      CHECK(s.alpha[i] >= 0.0);
      CHECK(s.alpha[i] <= (i % 7 != 2 ? 1.0 : 0.0));
      sum += s.alpha[i];
      m.matrix.add(i, s.alpha[i], w.data());
    }
    CHECK(sum == doctest::Approx(nu * static_cast<double>(rows.size())).epsilon(1e-12));
    CHECK(relative_difference(s.w, w) < 1e-12);
    for (const Index i : rows) {
      const double beyond = m.matrix.dot(i, s.w.data()) - s.rho;
      if (s.alpha[i] < 1) CHECK(beyond >= -1e-7);
      if (s.alpha[i] > 0) CHECK(beyond <= 1e-7);
    }
    double norm = 0, losses = 0;
    for (const double v : s.w) norm += 0.5 * v * v;
    for (const Index i : rows) losses += std::max(0.0, s.rho - m.matrix.dot(i, s.w.data()));
    CHECK(report.primal_objective == doctest::Approx(norm + losses - sum * s.rho).epsilon(1e-10));
    CHECK(report.dual_objective == doctest::Approx(-norm).epsilon(1e-10));
  }
}

TEST_CASE("a free bias is found whatever the units of the features, and its certificate says so") {
  base::Call call(1, 3, 100, kNoHooks);
  for (const bool l1 : {false, true}) {
    for (const Loss loss : {Loss::logistic, Loss::squared_hinge}) {
      CAPTURE(l1);
      CAPTURE(static_cast<int>(loss));
      double bias = 0;
      for (const int power : {0, 20, -10}) {  // of two, which rounds nothing
        CAPTURE(power);
        const double unit = std::ldexp(1.0, power);
        std::vector<double> x = random_values(kSolverRows, kSolverCols, 0.8, 5);
        for (double& v : x) v *= unit;
        const products::Matrix matrix(dense(x.data(), kSolverRows, kSolverCols), 1.0, kAmpleCap, call.pool);
        linear_fit::Problem p;
        p.x = &matrix;
        p.loss = loss;
        p.regularize_bias = false;
        if (l1) p.penalty = {1.0, 0.0};
        for (Index i = 0; i < kSolverRows; ++i) {
          p.y.push_back(x[i * kSolverCols] > 0.4 * unit ? 1.0 : -1.0);
          p.C.push_back(l1 ? 0.2 / unit : 0.2 / (unit * unit));  // the same w, times unit
        }
        linear_fit::SolveOptions options;
        options.tol = 1e-5;
        const products::Columns columns(matrix, kAmpleCap, call.pool);
        const linear_fit::Solution s =
            l1 ? linear_fit::solve_l1(p, &columns, options, call.context) : linear_fit::solve_newton(p, options, call.context);
        CHECK(s.stop_reason == StopReason::converged);
        CHECK(certificate(p, s, call.pool).confirms);
        if (power == 0) bias = s.w.back();
        CHECK(std::abs(bias) > 0.1);
        CHECK(s.w.back() == doctest::Approx(bias).epsilon(2e-3));
        linear_fit::Solution off = s;  // the gradient's norm in large units does not see a bias that is wrong
        off.w.back() *= 1.5;
        CHECK(!certificate(p, off, call.pool).confirms);
      }
    }
  }
}
