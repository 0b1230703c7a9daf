// Dual coordinate descent: certified by the gradient and by the duality gap, both formed plainly here.
#include "low_rank/linear_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "clustering/points.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

struct Case {
  Index n, cols;
  std::vector<float> x;
  std::vector<int> y;
  std::vector<double> C;
  low_rank::Resident resident;

  Case(Index rows, Index d, double c, std::uint64_t seed, bool weights = false) : n(rows), cols(d) {
    base::Random random(seed);
    for (Index i = 0; i < n; ++i) {
      y.push_back(static_cast<int>(random.below(2)));
      C.push_back(weights ? c * (0.2 + 2.0 * random.uniform()) : c);
      for (Index j = 0; j < cols; ++j) x.push_back(static_cast<float>(points::normal(random) + (y.back() == 0 ? 0.4 : -0.4)));
    }
    resident.features = x.data();
    resident.ld = resident.cols = cols;
    for (Index i = 0; i < n; ++i) resident.rows.push_back(i);
    base::ThreadPool pool(1);
    low_rank::measure(resident, 0, pool);
  }
  low_rank::Labelled labelled() const { return {y.data(), C.data()}; }
};

bool never(const low_rank::LinearStats&) { return false; }

low_rank::BinaryState start(const Case& c) {
  return {{0, 1}, std::vector<double>(c.cols + 1, 0.0), std::vector<double>(c.n, 0.0)};
}

struct Certificate {
  double violation = 0, gap = 0, drift = 0;  // drift: |w - sum a y x|
};

Certificate certify(const Case& c, const low_rank::LinearOptions& o, const low_rank::BinaryState& s) {
  const bool hinge = o.loss == LowRankLoss::hinge;
  std::vector<double> w(c.cols + 1, 0.0);
  for (Index i = 0; i < c.n; ++i) {
    const double coef = s.alpha[i] * (c.y[i] == 0 ? 1 : -1);
    for (Index j = 0; j < c.cols; ++j) w[j] += coef * static_cast<double>(c.x[i * c.cols + j]);
    if (o.fit_intercept) w.back() += coef;
  }
  Certificate result;
  double norm = 0, primal = 0, dual = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    result.drift = std::max(result.drift, std::abs(w[j] - s.w[j]));
    norm += 0.5 * w[j] * w[j];
  }
  for (Index i = 0; i < c.n; ++i) {
    double f = w.back();
    for (Index j = 0; j < c.cols; ++j) f += w[j] * static_cast<double>(c.x[i * c.cols + j]);
    const double margin = f * (c.y[i] == 0 ? 1 : -1), a = s.alpha[i], upper = hinge ? c.C[i] : 1e300;
    const double lost = std::max(0.0, 1 - margin), g = margin - 1 + (hinge ? 0 : a / (2 * c.C[i]));
    CHECK(a >= 0);
    CHECK(a <= upper);
    result.violation = std::max(result.violation, a <= 0 ? -g : a >= upper ? g : std::abs(g));
    primal += c.C[i] * (hinge ? lost : lost * lost);
    dual += a - (hinge ? 0 : a * a / (4 * c.C[i]));
  }
  result.gap = (norm + primal) - (dual - norm);
  return result;
}

}  // namespace

TEST_CASE("solve_linear: gradient, gap and report agree for both losses, with and without bias and weights") {
  base::ThreadPool pool(2);
  for (const auto loss : {LowRankLoss::hinge, LowRankLoss::squared_hinge}) {
    for (const bool bias : {true, false}) {
      for (const bool weights : {false, true}) {
        const Case c(400, 21, 0.7, 5, weights);
        low_rank::LinearOptions o;
        o.loss = loss;
        o.fit_intercept = bias;
        o.tol = 1e-5;
        o.max_passes = 100000;
        auto state = start(c);
        const auto stats = low_rank::solve_linear(c.resident, c.labelled(), o, pool, never, state);
        const Certificate seen = certify(c, o, state);
        CHECK(stats.violation <= o.tol);
        CHECK(std::max(0.0, seen.violation) == doctest::Approx(stats.violation).epsilon(1e-3));
        CHECK(seen.drift < 1e-9);
        CHECK(seen.gap >= -1e-7);
        CHECK(seen.gap < 400 * 3 * o.tol);
        double norm = 0;
        for (const double w : state.w) norm += 0.5 * w * w;
        CHECK(norm + stats.loss + low_rank::dual_objective(c.labelled(), o, state) == doctest::Approx(seen.gap).epsilon(1e-3));
        CHECK((state.w.back() != 0) == bias);
      }
    }
  }
}

TEST_CASE("solve_linear: the same steps whatever the number of threads; a solved start stays") {
  const Case c(500, 13, 2.0, 6);
  low_rank::LinearOptions o;
  o.tol = 1e-3;
  o.max_passes = 100000;
  base::ThreadPool one(1), three(3);
  auto a = start(c), b = start(c);
  low_rank::solve_linear(c.resident, c.labelled(), o, one, never, a);
  low_rank::solve_linear(c.resident, c.labelled(), o, three, never, b);
  CHECK(a.alpha == b.alpha);
  CHECK(a.w == b.w);
  const auto again = low_rank::solve_linear(c.resident, c.labelled(), o, one, never, a);
  CHECK(again.steps == 0);
  CHECK(a.alpha == b.alpha);
}

TEST_CASE("solve_linear: rows of other classes and of weight 0 take no part") {
  Case c(300, 7, 1.0, 7);
  for (Index i = 0; i < 60; ++i) c.y[i] = 2;
  for (Index i = 60; i < 80; ++i) c.C[i] = 0;
  for (Index i = 80; i < 90; ++i) c.y[i] = -1;
  low_rank::LinearOptions o;
  base::ThreadPool pool(1);
  auto pair = start(c);
  low_rank::solve_linear(c.resident, c.labelled(), o, pool, never, pair);
  for (Index i = 0; i < 90; ++i) CHECK(pair.alpha[i] == 0.0);
  auto rest = start(c);
  rest.problem = {2, -1};
  low_rank::solve_linear(c.resident, c.labelled(), o, pool, never, rest);
  CHECK(std::any_of(rest.alpha.begin(), rest.alpha.begin() + 60, [](double a) { return a > 0; }));
  for (Index i = 60; i < 90; ++i) CHECK(rest.alpha[i] == 0.0);
}

TEST_CASE("solve_linear: a stop from outside leaves w belonging to alpha") {
  const Case c(3000, 9, 50.0, 8);
  low_rank::LinearOptions o;
  o.tol = 1e-9;
  base::ThreadPool pool(1);
  auto state = start(c);
  int calls = 0;
  const auto stats = low_rank::solve_linear(
      c.resident, c.labelled(), o, pool, [&](const low_rank::LinearStats&) { return ++calls > 20; }, state);
  CHECK(stats.stopped);
  CHECK(stats.violation > o.tol);
  CHECK(certify(c, o, state).drift < 1e-8);
}

TEST_CASE("solve_linear: rows of zeros without bias") {
  Case c(10, 3, 1.5, 9);
  std::fill(c.x.begin(), c.x.end(), 0.0F);
  base::ThreadPool pool(1);
  low_rank::measure(c.resident, 0, pool);
  low_rank::LinearOptions o;
  o.fit_intercept = false;
  auto state = start(c);
  low_rank::solve_linear(c.resident, c.labelled(), o, pool, never, state);
  for (const double a : state.alpha) CHECK(a == 1.5);  // nothing can be gained: every error is paid for
}
