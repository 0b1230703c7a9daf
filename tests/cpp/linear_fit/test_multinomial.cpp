// The multinomial model: derivatives against finite differences, the certificate of both methods, and their bits.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/call.hpp"
#include "base/random.hpp"
#include "doctest/doctest.h"
#include "linear_fit/l1.hpp"
#include "linear_fit/multinomial.hpp"
#include "linear_fit/multinomial_report.hpp"
#include "linear_fit/softmax_row.hpp"
#include "products/lane_pass.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;
using linear_fit::MultinomialProblem;

namespace {

MultinomialProblem handmade(const HandmadeMatrix& c, Index classes) {
  MultinomialProblem p;
  p.x = p.exact_x = &c.matrix;
  p.classes = classes;
  base::Random random(3);
  const Index features = c.matrix.features();
  for (Index i = 0; i < c.matrix.rows(); ++i) {
    const double x = c.x[i * features] + c.x[i * features + 1] + 0.3 * random.uniform();
    p.class_of.push_back(static_cast<int>(std::clamp((x + 1.5) / 3.0, 0.0, 0.999) * static_cast<double>(classes)));
    p.C.push_back(i % 11 == 5 ? 0.0 : 0.5 + random.uniform());
  }
  return p;
}

struct Judged {
  double objective = 0, gradient = 0;
};

/// By plain sums.
Judged judge(const MultinomialProblem& p, const std::vector<double>& w) {
  const Index k = p.classes, d = p.cols();
  std::vector<double> g(w.size(), 0.0);
  Judged out;
  for (Index j = 0; j < p.penalized_cols(); ++j) {
    for (Index m = 0; m < k; ++m) {
      g[j * k + m] = w[j * k + m];
      out.objective += 0.5 * w[j * k + m] * w[j * k + m];
    }
  }
  for (Index i = 0; i < p.rows(); ++i) {
    std::vector<double> z(static_cast<std::size_t>(k), 0.0), x(static_cast<std::size_t>(d), 0.0);
    p.exact_x->each(i, [&](Index j, double v) { x[j] = v; });
    for (Index j = 0; j < d; ++j) {
      for (Index m = 0; m < k; ++m) z[m] += x[j] * w[j * k + m];
    }
    double sum = 0;
    for (const double one : z) sum += std::exp(one);
    out.objective += p.C[i] * (std::log(sum) - z[p.class_of[i]]);
    for (Index m = 0; m < k; ++m) {
      const double a = p.C[i] * (std::exp(z[m]) / sum - (m == p.class_of[i] ? 1.0 : 0.0));
      for (Index j = 0; j < d; ++j) g[j * k + m] += a * x[j];
    }
  }
  for (const double one : g) out.gradient += one * one;
  out.gradient = std::sqrt(out.gradient);
  return out;
}

}  // namespace

TEST_CASE("multinomial: a row's loss and derivatives are those of finite differences") {
  constexpr Index k = 5;
  const std::vector<double> z{0.3, -1.2, 2.0, 0.1, -0.4}, s{0.5, 0.2, -0.7, 0.0, 1.0};
  for (const int y : {2, 4}) {
    const auto at = [&](double t, double* a, float* p) {
      double room[k];
      for (Index m = 0; m < k; ++m) a[m] = z[m] + t * s[m];
      return linear_fit::softmax_row(a, k, y, 1.7, p, room);
    };
    constexpr double kStep = 1e-5;
    double low[k], high[k], a[k], u[k];
    float p[k], other[k];
    const double before = at(-kStep, low, other), after = at(kStep, high, other);
    at(0, a, p);
    double slope = 0;
    for (Index m = 0; m < k; ++m) slope += a[m] * s[m];
    CHECK(slope == doctest::Approx((after - before) / (2 * kStep)).epsilon(1e-8));
    std::copy(s.begin(), s.end(), u);
    linear_fit::softmax_curvature<double>(u, k, y, 1.7, p);
    for (Index m = 0; m < k; ++m) CHECK(u[m] == doctest::Approx((high[m] - low[m]) / (2 * kStep)).epsilon(1e-6));
  }
  double far[3] = {800.0, -900.0, 0.0}, room[3];
  float p[3];
  CHECK(linear_fit::softmax_row(far, 3, 1, 2.0, p, room) == doctest::Approx(2.0 * 1700.0));
  CHECK(far[1] == doctest::Approx(-2.0));
}

TEST_CASE("multinomial: a pass over rows or columns is the plain sum, in float and double") {
  const Hooks hooks;
  base::Call call(3, 0, 100, hooks);
  for (const double filled : {0.1, 0.9}) {
    for (const Index classes : {3, 7, 20}) {
      const HandmadeMatrix c(700, 23, filled, 1.0, call.pool);
      products::LanePass pass(700, 24, classes, c.matrix.stored());
      const Index width = pass.width();
      std::vector<double> v(static_cast<std::size_t>(pass.size()), 0.0), out(v.size()), plain(v.size(), 0.0);
      base::Random random(9);
      for (Index j = 0; j < 24; ++j) {
        for (Index m = 0; m < classes; ++m) v[j * width + m] = random.uniform() - 0.5;
      }
      for (Index i = 0; i < 700; ++i) {
        std::vector<double> z(static_cast<std::size_t>(width), 0.0);
        c.matrix.each(i, [&](Index j, double x) {
          for (Index m = 0; m < width; ++m) z[m] += x * v[j * width + m];
        });
        c.matrix.each(i, [&](Index j, double x) {
          for (Index m = 0; m < width; ++m) plain[j * width + m] += x * z[m] * static_cast<double>(m + 1);
        });
      }
      double sum = 0;
      const auto use = [&](Index, auto* z, double& total) {
        using W = std::remove_reference_t<decltype(*z)>;
        for (Index m = 0; m < width; ++m) z[m] *= static_cast<W>(m + 1);
        total += 1;
        return true;
      };
      CHECK(pass.run<double>(c.matrix, v.data(), out.data(), call.pool, sum, use));
      CHECK(sum == 700.0);
      CHECK(relative_difference(out, plain) < 1e-13);
      CHECK(pass.run<float>(c.matrix, v.data(), out.data(), call.pool, sum, use));
      CHECK(relative_difference(out, plain) < 1e-5);
    }
  }
}

TEST_CASE("multinomial: both methods reach the optimum, their certificate is that of plain sums, and threads change no bit") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks), threads(3, 0, 100, hooks);
  for (const Index cols : {6, 60}) {
    for (const double filled : {0.2, 1.0}) {
      for (const bool regularize_bias : {true, false}) {
        CAPTURE(cols);
        CAPTURE(filled);
        CAPTURE(regularize_bias);
        const HandmadeMatrix c(400, cols, filled, 1.0, call.pool);
        MultinomialProblem p = handmade(c, 4);
        p.regularize_bias = regularize_bias;
        linear_fit::SolveOptions options;
        options.tol = 1e-10;
        LinearProblemReport narrow, wide, again;
        const auto a = solve_multinomial(p, options, call.context, narrow);
        const auto b = solve_multinomial_wide(p, options, call.context, wide);
        for (const auto* r : {&narrow, &wide}) {
          CHECK(r->stop_reason == StopReason::converged);
          const Judged plain = judge(p, r == &narrow ? a.w : b.w);
          CHECK(r->primal_objective == doctest::Approx(plain.objective).epsilon(1e-12));
          CHECK(plain.gradient == doctest::Approx(r->gradient_norm).epsilon(1e-3).scale(1e-6));
          CHECK(0.5 * plain.gradient * plain.gradient <= 2e-10 * plain.objective);
          CHECK(std::isnan(r->dual_objective) == !regularize_bias);
        }
        CHECK(relative_difference(a.w, b.w) < 1e-3);
        double biases = 0;  // where they are free, a constant added to all of them would change nothing
        for (Index m = 0; m < p.classes; ++m) biases += a.w[cols * p.classes + m];
        if (!regularize_bias) CHECK(std::abs(biases) < 1e-12);
        CHECK(solve_multinomial(p, options, threads.context, again).w == a.w);
        CHECK(solve_multinomial_wide(p, options, threads.context, again).w == b.w);
        options.start = &a.w;
        solve_multinomial(p, options, call.context, again);
        CHECK(again.n_iter == 0);
      }
    }
  }
}

TEST_CASE("penalty: its minimum along a weight, its conjugate and its distance belong together") {
  for (const auto& penalty : {linear_fit::Penalty{0.3, 0.7}, linear_fit::Penalty{1.0, 0.0}, linear_fit::Penalty{0.0, 1.0}}) {
    for (const double w : {-1.5, 0.0, 0.2}) {
      for (const double g : {-2.0, -0.25, 0.0, 0.9}) {
        constexpr double h = 1.7;
        const auto value = [&](double t) { return g * t + 0.5 * h * t * t + penalty.value(w + t); };
        const double t = penalty.step(w, g, h);
        for (const double off : {-1e-4, 1e-4}) CHECK(value(t) <= value(t + off));
        CHECK(penalty.distance(w + t, g + h * t) < 1e-14);
        if (penalty.l2 == 0 && std::abs(g) > penalty.l1) continue;
        CHECK(penalty.value(w) + penalty.conjugate(-g) + g * w >= 0);
        CHECK((penalty.distance(w, g) > 0) == (penalty.value(w) + penalty.conjugate(-g) + g * w > 1e-15));
      }
    }
  }
}

TEST_CASE("multinomial with |w|: the certificate is that of plain sums, no weight can be better, and threads change no bit") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks), threads(3, 0, 100, hooks);
  for (const Index cols : {6, 500}) {
    for (const double l1 : {0.4, 1.0}) {
      CAPTURE(cols);
      CAPTURE(l1);
      const HandmadeMatrix c(400, cols, 0.3, 1.0, call.pool);
      MultinomialProblem p = handmade(c, 4);
      p.penalty = {l1, 1.0 - l1};
      linear_fit::SolveOptions options;
      options.tol = 1e-9;
      LinearProblemReport report, again;
      const auto s = solve_multinomial_sparse(p, options, call.context, report);
      CHECK(report.stop_reason == StopReason::converged);
      const auto objective = [&](const std::vector<double>& w) {
        double ridge = 0, all = 0;
        for (const double one : w) {
          ridge += 0.5 * one * one;
          all += p.penalty.value(one);
        }
        return judge(p, w).objective - ridge + all;
      };
      const double best = objective(s.w);
      CHECK(report.primal_objective == doctest::Approx(best).epsilon(1e-12));
      CHECK(best - report.dual_objective <= 1e-9 * best);
      std::vector<double> w = s.w;
      for (std::size_t t = 0; t < w.size(); t += 3) {
        for (const double off : {-1e-3, 1e-3}) {
          w[t] = s.w[t] + off;
          CHECK(objective(w) >= report.dual_objective);
        }
        w[t] = s.w[t];
      }
      CHECK(solve_multinomial_sparse(p, options, threads.context, again).w == s.w);
      options.start = &s.w;
      solve_multinomial_sparse(p, options, call.context, again);
      CHECK(again.n_iter == 0);
    }
  }
}

TEST_CASE("multinomial: prices and values that float does not hold are solved in double") {
  const Hooks hooks;
  base::Call call(2, 0, 100, hooks);
  HandmadeMatrix c(300, 5, 1.0, 1.0, call.pool);
  for (double& v : c.x) v *= 1e30;
  const products::Matrix large(DenseView{c.x.data(), ScalarType::float64, 300, 5, 5, 1}, 1.0, kAmpleCap, call.pool);
  MultinomialProblem p = handmade(c, 3);
  p.x = p.exact_x = &large;
  linear_fit::SolveOptions options;
  options.tol = 1e-6;
  for (double& C : p.C) C *= 1e-60;
  LinearProblemReport narrow, wide;
  solve_multinomial(p, options, call.context, narrow);
  solve_multinomial_wide(p, options, call.context, wide);
  CHECK(narrow.stop_reason == StopReason::converged);
  CHECK(wide.stop_reason == StopReason::converged);
  CHECK(std::abs(narrow.primal_objective - wide.primal_objective) <= 4e-6 * narrow.primal_objective);
}

TEST_CASE("multinomial steps: the first half that Armijo's rule takes, or what a rounded objective leaves") {
  int asked = 0;
  // 4 t^2 - t: the rule takes t where 4 t - 1 <= -0.01.
  const auto change = [&](double t) {
    ++asked;
    return 4.0 * t * t - t;
  };
  const auto never = [] { return false; };
  CHECK(linear_fit::multinomial_step(change, -1.0, false, never) == 0.125);
  CHECK(asked == 4);
  asked = 0;
  CHECK(linear_fit::multinomial_step(change, -1.0, true, [] { return true; }) == 1.0);
  CHECK(linear_fit::multinomial_step(change, -1.0, true, never) == 0.0);
  CHECK(asked == 2);
  CHECK(linear_fit::multinomial_step([](double) { return 1.0; }, -1.0, false, never) == 0.0);
}

TEST_CASE("damping: falls after whole steps, grows after short ones") {
  CHECK(linear_fit::damped(1.0, 0.5, 1.0, 7.0) == 0.5);
  CHECK(linear_fit::damped(5.0, 0.5, 1.0, 7.0) == 1.0);
  CHECK(linear_fit::damped(5.0, 0.5, 0.5, 7.0) == 5.0);
  CHECK(linear_fit::damped(5.0, 0.5, 0.125, 7.0) == 50.0);
  CHECK(linear_fit::damped(0.0, 0.0, 0.125, 7.0) == 1e-3 * 7.0);
}
