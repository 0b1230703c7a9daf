// Newton's method along C: the start that is made of earlier solutions, and what is known of the rounding of X.
#include "linear_fit/start_between.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/call.hpp"
#include "doctest/doctest.h"
#include "linear_fit/problem.hpp"

using namespace dcsvm;
using linear_fit::Loss;

namespace {

struct WideProblem {
  static constexpr Index kRows = 60, kCols = 1700, kPerRow = 40;
  std::vector<Index> indptr = {0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  std::vector<double> y;

  explicit WideProblem(bool classes) {
    std::uint64_t state = 11;
    const auto next = [&] {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return static_cast<double>(state >> 33) / 2147483648.0 - 1.0;
    };
    for (Index i = 0; i < kRows; ++i) {
      for (Index t = 0; t < kPerRow; ++t) {
        indices.push_back(static_cast<std::int32_t>(t * (kCols / kPerRow) + (i * 7 + t) % 5));
        values.push_back(3.0 * next());
      }
      indptr.push_back(static_cast<Index>(indices.size()));
      y.push_back(classes ? (next() > -0.3 ? 1.0 : -1.0) : 2.0 * next());
    }
  }
  DataView view() const {
    CsrView x;
    x.rows = kRows;
    x.cols = kCols;
    x.indptr = indptr.data();
    x.indices = indices.data();
    x.values = values.data();
    x.indptr_type = IndexType::int64;
    return x;
  }
};

double objective(const linear_fit::Problem& p, const std::vector<double>& w, base::ThreadPool& pool) {
  std::vector<double> z(p.rows());
  p.x->product(w.data(), z.data(), pool);
  double f = p.losses(z, 0.0, z, pool);
  for (Index j = 0; j < p.cols(); ++j) f += p.regularized(j) ? 0.5 * w[j] * w[j] : 0.0;
  return f;
}

}  // namespace

TEST_CASE("linear path: Newton starts from the best combination, and bounds what rounded values do to its gradient") {
  for (const Loss loss : {Loss::logistic, Loss::squared_hinge, Loss::squared_tube}) {
    const WideProblem data(loss != Loss::squared_tube);
    const Hooks hooks;
    base::Call call(2, 0, 100, hooks);
    const products::Matrix x(data.view(), 1.0, std::size_t{1} << 30, call.pool);
    const std::unique_ptr<products::Matrix> rounded = x.compact(true, std::size_t{1} << 30, call.pool);
    REQUIRE(rounded != nullptr);
    linear_fit::Path path;
    for (Index i = 0; i < x.rows(); ++i) path.row_norm = std::max(path.row_norm, std::sqrt(x.norm2(i)));
    path.rounding = 0x1p-24;
    linear_fit::Problem p;
    p.x = rounded.get();
    p.loss = loss;
    p.y = data.y;
    p.width = 0.1;
    p.regularize_bias = loss != Loss::logistic;
    linear_fit::SolveOptions options;
    options.path = &path;
    double largest = 0;
    for (const double C : {0.001, 0.004, 0.02, 0.08, 0.3}) {
      p.C.assign(x.rows(), C);
      options.C = C;
      options.tol = 0.01;
      if (path.points.size() > 1) {
        const std::vector<double> c = linear_fit::best_combination(p, path.points, call.pool);
        const auto at = [&](double t, std::size_t k) {
          std::vector<double> w(p.cols(), 0.0);
          for (std::size_t m = 0; m < c.size(); ++m) {
            for (Index j = 0; j < p.cols(); ++j) w[j] += (c[m] + (m == k ? t : 0.0)) * path.points[m].w[j];
          }
          return objective(p, w, call.pool);
        };
        const double best = at(0.0, 0);
        CHECK(best < objective(p, path.points.back().w, call.pool));
        for (std::size_t k = 0; k < c.size(); ++k) {  // a minimum in every direction
          CHECK(at(0.01, k) > best * (1 - 1e-9));
          CHECK(at(-0.01, k) > best * (1 - 1e-9));
        }
      }
      linear_fit::Solution s = linear_fit::solve_newton(p, options, call.context);
      CHECK(s.stop_reason == StopReason::converged);
      CHECK(s.violation <= s.limit);
      p.x = &x;
      const LinearProblemReport exact = linear_fit::certificate(p, s, call.pool).report;
      p.x = rounded.get();
      const double difference = std::abs(exact.violation - s.violation);
      CHECK(difference <= s.rounding);
      CHECK(s.rounding <= 0.1 * s.limit);  // else it would decide nothing
      largest = std::max(largest, difference / s.rounding);
      CHECK(path.points.size() <= 3);
      // What is left for the next C is right.
      std::vector<double> z(p.rows()), slope(p.rows()), curvature(p.rows()), g(p.cols());
      p.x->product(s.w.data(), z.data(), call.pool);
      p.derivatives(z, slope, curvature, call.pool);
      p.x->transposed(slope.data(), g.data(), call.pool);
      double off = 0, norm = 0;
      for (Index j = 0; j < p.cols(); ++j) {
        off = std::max(off, std::abs(g[j] - path.gradient[j]));
        norm = std::max(norm, std::abs(g[j]));
      }
      CHECK(off <= 1e-9 * norm);
    }
    CHECK(largest > 1e-6);
  }
}

TEST_CASE("linear path: a solution that meets the tolerance for the next C stays, without a step") {
  const WideProblem data(true);
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks);
  const products::Matrix x(data.view(), 1.0, std::size_t{1} << 30, call.pool);
  linear_fit::Path path;
  linear_fit::Problem p;
  p.x = &x;
  p.loss = Loss::squared_hinge;
  p.y = data.y;
  linear_fit::SolveOptions options;
  options.path = &path;
  for (const double C : {0.01, 0.01 * (1 + 1e-9), 0.4}) {
    CAPTURE(C);
    p.C.assign(x.rows(), C);
    options.C = C;
    const std::vector<double> before = path.points.empty() ? std::vector<double>{} : path.points.back().w;
    const linear_fit::Solution s = linear_fit::solve_newton(p, options, call.context);
    CHECK(s.stop_reason == StopReason::converged);
    const bool same = C > 0.01 && C < 0.02;
    CHECK(path.stayed == same);
    CHECK((s.n_iter == 0) == same);
    CHECK((s.w == before) == same);
    CHECK(path.points.size() == (C < 0.02 ? 1U : 2U));
  }
}
