// What is said about a point, computed anew by plain sums: objectives, gap and decrease of every loss and of several classes;
// when a solve ends.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/call.hpp"
#include "base/random.hpp"
#include "doctest/doctest.h"
#include "linear_fit/losses.hpp"
#include "linear_fit/multiclass.hpp"
#include "linear_fit/one_class.hpp"
#include "linear_fit/stopping.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;
using linear_fit::Loss;

namespace {

constexpr Index kRows = 80, kCols = 7;

std::vector<double> random_vector(std::size_t n, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> out(n);
  for (double& v : out) v = 2.0 * random.uniform() - 1.0;
  return out;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

}  // namespace

TEST_CASE("certificate: objectives, gap and decrease are the plain sums, for every loss") {
  base::ThreadPool pool(2);
  const HandmadeMatrix m(kRows, kCols, 0.8, -1.0, pool);
  for (const Loss loss : test::all_losses()) {
    CAPTURE(static_cast<int>(loss));
    linear_fit::Problem p;
    p.x = &m.matrix;
    p.loss = loss;
    p.width = 0.1;
    const std::vector<double> sizes = random_vector(kRows, 2);
    for (Index i = 0; i < kRows; ++i) {
      const double side = sizes[i] > 0 ? 1.0 : -1.0;
      p.y.push_back(linear_fit::of_targets(loss) ? sizes[i] : side);
      p.C.push_back(i % 9 == 0 ? 0.0 : 0.5 + std::abs(sizes[i]));
    }
    linear_fit::Solution s;
    s.w = random_vector(kCols, 3);
    for (Index i = 0; i < kRows; ++i) s.alpha.push_back(0.3 * p.C[i] * (p.y[i] > 0 ? 1.0 : -1.0));
    double primal = 0.5 * dot(s.w, s.w), terms = 0, at_zero = 0;
    std::vector<double> u(kCols, 0.0);
    for (Index i = 0; i < kRows; ++i) {
      primal += p.row(i).value(m.matrix.dot(i, s.w.data()));
      at_zero += p.row(i).value(0.0);
      terms += p.row(i).dual_term(s.alpha[i]);
      m.matrix.add(i, s.alpha[i], u.data());
    }
    const double dual = terms - 0.5 * dot(u, u);
    const linear_fit::Certificate c = linear_fit::certificate(p, s, pool);
    CHECK(c.report.primal_objective == doctest::Approx(primal).epsilon(1e-12));
    CHECK(c.report.dual_objective == doctest::Approx(dual).epsilon(1e-12));
    CHECK(c.quality.gap == doctest::Approx(primal - dual).epsilon(1e-11));
    CHECK(c.quality.decrease == doctest::Approx(at_zero - dual).epsilon(1e-11));
    CHECK(c.report.n_support == kRows - (kRows + 8) / 9);
  }
}

TEST_CASE("certificate: several classes, any weights and dual variables: plain sums, whatever the threads") {
  base::ThreadPool one(1), three(3);
  constexpr Index kMany = 700, kClasses = 4;
  const HandmadeMatrix m(kMany, kCols, 0.8, -1.0, one);
  linear_fit::MulticlassProblem p;
  p.x = p.exact_x = &m.matrix;
  p.classes = kClasses;
  const std::vector<double> draws = random_vector(kMany, 5), w = random_vector(kCols * kClasses, 6);
  std::vector<double> a, u(kCols * kClasses, 0.0);
  for (Index i = 0; i < kMany; ++i) {
    p.class_of.push_back(static_cast<int>(i % kClasses));
    p.C.push_back(i % 5 == 0 ? 0.0 : 1.0 + draws[i]);
    for (Index k = 0; k < kClasses; ++k) {
      a.push_back(k == p.class_of[i] ? 0.9 * p.C[i] : -0.3 * p.C[i]);
      m.matrix.add(i, a.back(), u.data() + k * kCols);
    }
  }
  const auto scores = [&](Index i, double* score, double* row) {
    for (Index k = 0; k < kClasses; ++k) {
      score[k] = m.matrix.dot(i, w.data() + k * kCols) - (k == p.class_of[i] ? 1.0 : 0.0);
      row[k] = a[i * kClasses + k];
    }
  };
  linear_fit::Solution point;  // the weights column by column
  for (Index j = 0; j < kCols; ++j) {
    for (Index k = 0; k < kClasses; ++k) point.w.push_back(w[k * kCols + j]);
  }
  point.alpha = a;
  double primal = 0.5 * dot(w, w), dual = -0.5 * dot(u, u), at_zero = 0, violation = 0;
  for (Index i = 0; i < kMany; ++i) {
    std::vector<double> score(kClasses), row(kClasses);
    scores(i, score.data(), row.data());
    const double high = *std::max_element(score.begin(), score.end());
    primal += p.C[i] * (high - score[p.class_of[i]]);
    at_zero += p.C[i];
    for (Index k = 0; k < kClasses; ++k) dual -= k == p.class_of[i] ? 0.0 : row[k];
    if (p.C[i] > 0) violation = std::max(violation, high - *std::min_element(score.begin(), score.end()));  // all may grow
  }
  const linear_fit::Certificate c = linear_fit::certificate(p, point, one), again = linear_fit::certificate(p, point, three);
  CHECK(c.report.primal_objective == doctest::Approx(primal).epsilon(1e-12));
  CHECK(c.report.dual_objective == doctest::Approx(dual).epsilon(1e-12));
  CHECK(c.report.violation == doctest::Approx(violation).epsilon(1e-12));
  CHECK(c.quality.gap == doctest::Approx(primal - dual).epsilon(1e-11));
  CHECK(c.quality.decrease == doctest::Approx(at_zero - dual).epsilon(1e-11));
  CHECK(again.quality.gap == c.quality.gap);
  CHECK(again.report.dual_objective == c.report.dual_objective);
}

TEST_CASE("certificate: one class, any feasible variables: plain sums, and the gap is the difference of the objectives") {
  base::ThreadPool pool(2);
  const HandmadeMatrix m(60, kCols, 0.8, -1.0, pool);
  linear_fit::OneClassProblem p{&m.matrix, {}, 0.4};
  for (Index i = 0; i < 60; ++i) {
    if (i % 4 != 1) p.rows.push_back(i);
  }
  const double sum = p.nu * static_cast<double>(p.rows.size());
  linear_fit::Solution s;
  s.alpha.assign(60, 0.0);
  s.w.assign(kCols, 0.0);
  double left = sum;  // some at their bound, one between, the others 0
  for (const Index i : p.rows) {
    s.alpha[i] = std::min({1.0, left, i % 3 == 0 ? 0.5 : 1.0});
    left -= s.alpha[i];
    m.matrix.add(i, s.alpha[i], s.w.data());
  }
  for (const double rho : {-0.3, 0.0, 0.7}) {
    CAPTURE(rho);
    s.rho = rho;
    s.limit = 1e-9;
    double primal = 0.5 * dot(s.w, s.w) - sum * rho, high = -1e9, low = 1e9;
    for (const Index i : p.rows) {
      const double z = m.matrix.dot(i, s.w.data());
      primal += std::max(0.0, rho - z);
      if (s.alpha[i] > 0) high = std::max(high, z);
      if (s.alpha[i] < 1) low = std::min(low, z);
    }
    const linear_fit::Certificate c = certificate(p, s, pool);
    CHECK(c.report.primal_objective == doctest::Approx(primal).epsilon(1e-12));
    CHECK(c.report.dual_objective == doctest::Approx(-0.5 * dot(s.w, s.w)).epsilon(1e-12));
    CHECK(c.quality.gap == doctest::Approx(primal + 0.5 * dot(s.w, s.w)).epsilon(1e-10));
    CHECK(c.quality.gap >= 0.0);
    CHECK(c.report.violation == doctest::Approx(high - low).epsilon(1e-12));
    CHECK(!c.confirms);
    s.limit = 1.01 * (high - low);
    CHECK(certificate(p, s, pool).confirms);
  }
}

TEST_CASE("certificate: several classes are confirmed where violation and gap are within the limit, and w = 0 where it is one") {
  base::ThreadPool pool(1);
  std::vector<double> x;  // each row once in each class: nothing tells them apart
  const std::vector<double> row = random_vector(kCols, 7);
  linear_fit::MulticlassProblem p;
  p.classes = 3;
  for (int k = 0; k < 3; ++k) {
    x.insert(x.end(), row.begin(), row.end());
    p.class_of.push_back(k);
    p.C.push_back(2.0);
  }
  const products::Matrix matrix(dense(x.data(), 3, kCols), -1.0, kAmpleCap, pool);
  p.x = p.exact_x = &matrix;
  linear_fit::Solution zero = linear_fit::zero_solution(p);
  CHECK(linear_fit::zero_is_optimum(p, pool));
  zero.limit = 1e-9;
  const linear_fit::Certificate c = certificate(p, zero, pool);
  CHECK(c.confirms);
  CHECK(c.report.primal_objective == 6.0);
  CHECK(c.report.dual_objective == doctest::Approx(6.0).epsilon(1e-14));
  CHECK(c.report.violation == 0.0);
  CHECK(c.report.n_support == 3);
  CHECK(c.report.n_nonzero == 0);
  p.C[1] = 0.5;  // now it is not
  linear_fit::Solution other = linear_fit::zero_solution(p);
  CHECK(!linear_fit::zero_is_optimum(p, pool));
  other.limit = 1e-9;
  other.w_is_sum = false;
  CHECK(!certificate(p, other, pool).confirms);
}

TEST_CASE("certificate: w = 0 is the optimum where rows cancel up to rounding, and not where they nearly do") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks);
  for (const double off : {0.0, 1e-9}) {
    CAPTURE(off);
    const std::vector<double> row = random_vector(kCols, 7);
    std::vector<double> x;  // each row in both classes, in thirds
    for (int copy = 0; copy < 6; ++copy) {
      for (const double v : row) x.push_back(copy < 3 ? v : v / 3.0 * 3.0 + off);
    }
    const products::Matrix m(dense(x.data(), 6, kCols), -1.0, kAmpleCap, call.pool);
    linear_fit::Problem p;
    p.x = &m;
    p.y = {1, 1, 1, -1, -1, -1};
    p.C.assign(6, 0.7);
    std::vector<double> alpha;
    CHECK(linear_fit::zero_is_optimum(p, alpha, call.pool) == (off == 0));
    CHECK(alpha.size() == 6);
    linear_fit::MulticlassProblem classes;
    classes.x = classes.exact_x = &m;
    classes.classes = 2;
    classes.class_of = {0, 0, 0, 1, 1, 1};
    classes.C = p.C;
    CHECK(linear_fit::zero_is_optimum(classes, call.pool) == (off == 0));
  }
}

TEST_CASE(
    "stopping: the limit of steps is the caller's or the method's own, and the estimate of what is left a geometric series") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks);
  linear_fit::SolveOptions options;
  linear_fit::Solution s;
  s.n_iter = 5;
  CHECK(!linear_fit::Limits("test", 6, options, call.context).used_up(s));
  CHECK(s.stop_reason == StopReason::converged);
  CHECK(linear_fit::Limits("test", 5, options, call.context).used_up(s));
  CHECK(s.stop_reason == StopReason::max_iter);
  options.max_iter = 4;
  CHECK(linear_fit::Limits("test", 100, options, call.context).steps() == 4);
  CHECK(!linear_fit::Limits("test", 100, options, call.context).cancelled(s, 0.0, 0));
  linear_fit::Gains gains;
  gains.add(8.0);
  CHECK(gains.remaining() == 8.0);
  gains.add(4.0);
  CHECK(gains.remaining() == 4.0);  // 2 + 1 + 1/2 + ...
  gains.add(5.0);
  CHECK(std::isinf(gains.remaining()));
}
