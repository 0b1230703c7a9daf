// nu-SVC, one-class and regression as the solver's problems: by hand and by certificate.
#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "qp/matrix_rows.hpp"
#include "svm/problems/nu_svc.hpp"
#include "svm/problems/one_class.hpp"
#include "svm/problems/regression.hpp"

using namespace dcsvm;

namespace {

constexpr qp::Options kExact{1e-10, -1, true};

// K = x x' for points on a line.
handmade::FunctionRows<double> line(const std::vector<double>& x) {
  return {static_cast<Index>(x.size()), [x](Index i, Index j) { return x[i] * x[j]; }};
}

// A regression of these targets, with bounds C_i.
svm::BinaryProblem regression(const std::vector<double>& y, const std::vector<double>& upper) {
  svm::BinaryProblem problem;
  for (std::size_t i = 0; i < y.size(); ++i) problem.add(static_cast<Index>(i), 1.0, upper[i]);
  problem.set_targets({y.data()});
  return problem;
}

}  // namespace

TEST_CASE("epsilon-SVR: the flattest line through the tube's corners") {
  // y = 2x at x = -1, 0, 1 with a tube of 0.5: w = 1.5, b = 0, touched at the ends: d = (-0.75, 0, 0.75).
  const auto rows = line({-1, 0, 1});
  const std::vector<double> y{-2, 0, 2}, upper{10, 10, 10};
  handmade::Call call;
  svm::BinaryProblem wide = regression(y, upper);
  const auto with = svm::solve_epsilon_svr<double>(rows, wide, 0.5, true, kExact, call.context);
  const std::vector<double>& d = wide.beta;
  CHECK(d[0] == doctest::Approx(-0.75));
  CHECK(d[1] == 0.0);
  CHECK(d[2] == doctest::Approx(0.75));
  CHECK(with.bias == doctest::Approx(0.0));
  CHECK(with.objective == doctest::Approx(0.5 * 1.5 * 1.5 + 0.5 * 1.5 - 2 * 1.5));
  CHECK(with.n_support == 2);
  CHECK(with.n_bounded == 0);
  // Bounded: C = 0.25 gives w = 0.5, and the warm start stays.
  const std::vector<double> small{0.25, 0.25, 0.25};
  svm::BinaryProblem tight = regression(y, small);
  const auto first = svm::solve_epsilon_svr<double>(rows, tight, 0.5, true, kExact, call.context);
  CHECK(tight.beta == std::vector<double>{-0.25, 0, 0.25});
  CHECK(first.n_bounded == 2);
  const auto again = svm::solve_epsilon_svr<double>(rows, tight, 0.5, true, kExact, call.context);
  CHECK(again.n_iter == 0);
  CHECK(again.objective == doctest::Approx(first.objective));
  // Without intercept: y = x + 5 at x = 1 and 2, no tube: least absolute loss through the origin.
  const auto two = line({1, 2});
  const std::vector<double> high{6, 7}, loose{100, 100};
  svm::BinaryProblem origin = regression(high, loose);
  const auto none = svm::solve_epsilon_svr<double>(two, origin, 0.0, false, kExact, call.context);
  CHECK(none.bias == 0.0);
  CHECK(origin.beta[0] + 2 * origin.beta[1] == doctest::Approx(3.5));  // w passes x = 2, whose slope counts twice
  CHECK(none.violation < 1e-9);
}

TEST_CASE("nu-SVR: the tube is as wide as nu asks, and epsilon-SVR with that tube agrees") {
  base::Random random(4);
  std::vector<double> x, y, upper;
  for (int i = 0; i < 60; ++i) {
    x.push_back(4 * random.uniform() - 2);
    y.push_back(std::sin(2 * x.back()) + 0.3 * random.uniform());
    upper.push_back(2.0 + random.uniform());
  }
  const handmade::FunctionRows<double> rows(60, [&](Index i, Index j) { return std::exp(-std::pow(x[i] - x[j], 2)); });
  for (const double nu : {0.1, 0.5, 0.9}) {
    handmade::Call call;
    svm::BinaryProblem by_nu = regression(y, upper), by_epsilon = regression(y, upper);
    const std::vector<double>&d = by_nu.beta, &e = by_epsilon.beta;
    const qp::Options options{1e-9, -1, true};
    const auto free = svm::solve_nu_svr<double>(rows, by_nu, nu, options, call.context);
    CHECK(free.stop_reason == StopReason::converged);
    CHECK(free.r <= 1e-9);
    const auto tube = svm::solve_epsilon_svr<double>(rows, by_epsilon, -free.r, true, options, call.context);
    CHECK(tube.bias == doctest::Approx(free.bias).epsilon(1e-5));
    double used = 0, all = 0, sum = 0;
    for (int i = 0; i < 60; ++i) {
      CHECK(std::abs(d[i] - e[i]) < 1e-5);
      used += std::abs(e[i]);
      sum += d[i];
      all += upper[i];
    }
    CHECK(std::abs(sum) < 1e-9);
    if (-free.r > 1e-6) CHECK(used == doctest::Approx(nu * all).epsilon(1e-5));  // sum(a + a*) = nu sum C
  }
}

TEST_CASE("one-class: weights are spread so that all of them are as far out as their bound lets them") {
  // K = I: alpha is as even as the bounds allow; free ones share what is left.
  const handmade::FunctionRows<double> rows(4, [](Index i, Index j) { return i == j ? 1.0 : 0.0; });
  const std::vector<double> weight{1, 1, 1, 0.2};
  svm::BinaryProblem problem;
  for (Index i = 0; i < 4; ++i) problem.add(i, 1.0, weight[i]);
  std::vector<double>& alpha = problem.beta;
  svm::reach_sum(weight.data(), 4, 0.5, alpha.data());
  CHECK(alpha[0] == 1.0);
  CHECK(alpha[1] == doctest::Approx(0.6));
  CHECK(alpha[2] + alpha[3] == doctest::Approx(0.0));
  handmade::Call call;
  const auto result = svm::solve_one_class<double>(rows, problem, kExact, call.context);
  const double share = (1.6 - 0.2) / 3;
  for (Index i = 0; i < 3; ++i) CHECK(alpha[i] == doctest::Approx(share));
  CHECK(alpha[3] == 0.2);
  CHECK(-result.bias == doctest::Approx(share));  // rho
  CHECK(result.objective == doctest::Approx(0.5 * (3 * share * share + 0.04)));
  CHECK(result.n_bounded == 1);
}

TEST_CASE("nu-SVC: two points have the plane between them; scaled by the margin") {
  const auto rows = line({3, 1});
  handmade::Call call;
  svm::BinaryProblem two;
  two.add(0, 1, 1);
  two.add(1, -1, 1);
  const std::vector<double>& beta = two.beta;
  const auto result = svm::solve_nu_svc<double>(rows, two, 0.5, kExact, call.context);
  // a = 1/2 each: w = (3 - 1) / 2 = 1, which is the margin r = 1: f = x - 2.
  CHECK(result.r == doctest::Approx(1.0));
  CHECK(beta[0] == doctest::Approx(0.5));
  CHECK(beta[1] == doctest::Approx(-0.5));
  CHECK(result.bias == doctest::Approx(-2.0));
  const auto wide = svm::solve_nu_svc<double>(rows, two, 1.0, kExact, call.context);
  CHECK(wide.r == doctest::Approx(2.0));  // a = 1 each: w = 2; divided by r the same plane
  CHECK(beta[0] == doctest::Approx(0.5));
  CHECK(wide.bias == doctest::Approx(-2.0));
  CHECK(wide.objective == doctest::Approx(0.5));
  // Stopped at the start the margin may not be positive: nothing is scaled, nothing infinite.
  const auto apart = line({1, 3, 2, 0});
  svm::BinaryProblem four;
  for (Index i = 0; i < 4; ++i) four.add(i, i < 2 ? 1 : -1, 1);
  const auto stopped = svm::solve_nu_svc<double>(apart, four, 0.5, {1e-9, 0, true}, call.context);
  CHECK(stopped.stop_reason == StopReason::max_iter);
  CHECK(std::isfinite(stopped.objective));
  CHECK(four.beta[0] - four.beta[1] != 0.0);
}
