// Products with several vectors at once against those with one, and problems solved together against each alone.
#include "linear/lane_products.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/call.hpp"
#include "base/random.hpp"
#include "doctest/doctest.h"
#include "linear/preconditioner.hpp"
#include "linear/problem.hpp"

using namespace dcsvm;
using linear::ConstVectors;
using linear::Vectors;

namespace {

constexpr std::size_t kCap = std::size_t{1} << 30;

/// Values of which the share `filled` is not 0.
std::vector<double> values(Index rows, Index cols, double filled, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> x(rows * cols, 0.0);
  for (double& v : x) {
    const double drawn = random.uniform();
    if (drawn < filled) v = 2.0 * random.uniform() - 1.0;
  }
  return x;
}

struct Case {
  std::vector<double> x;
  data::Matrix matrix;
  Case(Index rows, Index cols, double filled, double bias, base::ThreadPool& pool)
      : x(values(rows, cols, filled, 5)),
        matrix(DenseView{x.data(), ScalarType::float64, rows, cols, cols, 1}, bias, kCap, pool) {}
};

std::vector<std::vector<double>> several(std::size_t number, Index size, std::uint64_t seed) {
  std::vector<std::vector<double>> out;
  for (std::size_t k = 0; k < number; ++k) out.push_back(values(size, 1, 0.8, seed + k));
  return out;
}

ConstVectors reading(const std::vector<std::vector<double>>& v) {
  ConstVectors out;
  for (const auto& one : v) out.push_back(one.data());
  return out;
}
Vectors writing(std::vector<std::vector<double>>& v) {
  Vectors out;
  for (auto& one : v) out.push_back(one.data());
  return out;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, size = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return most / size;
}

}  // namespace

TEST_CASE("products with several vectors are those with each, whatever the threads") {
  base::ThreadPool one(1), three(3);
  for (const double filled : {0.1, 0.9}) {  // sparse and dense
    for (const double bias : {-1.0, 0.5}) {
      for (const std::size_t number : {2, 5, 16, 32}) {
        CAPTURE(filled);
        CAPTURE(bias);
        CAPTURE(number);
        const Case c(700, 37, filled, bias, one);
        const data::Matrix& x = c.matrix;
        REQUIRE(x.dense() == (filled > 0.5));
        const auto w = several(number, x.cols(), 10), d = several(number, x.rows(), 50);
        auto h = several(number, x.rows(), 90);
        for (auto& v : h) {
          for (double& e : v) e = std::abs(e);
        }
        auto z = several(number, x.rows(), 0), z3 = z, g = several(number, x.cols(), 0), g3 = g, q = g, q3 = g, s = g, s3 = g;
        linear::products(x, reading(w), writing(z), one);
        linear::products(x, reading(w), writing(z3), three);
        linear::transposed_products(x, reading(d), writing(g), one);
        linear::transposed_products(x, reading(d), writing(g3), three);
        linear::curvature_products(x, reading(h), reading(w), writing(q), one);
        linear::curvature_products(x, reading(h), reading(w), writing(q3), three);
        linear::squares_products(x, reading(h), writing(s), one);
        linear::squares_products(x, reading(h), writing(s3), three);
        CHECK(z == z3);
        CHECK(g == g3);
        CHECK(q == q3);
        CHECK(s == s3);
        for (std::size_t k = 0; k < number; ++k) {
          std::vector<double> to_rows(x.rows()), to_columns(x.cols());
          x.product(w[k].data(), to_rows.data(), one);
          CHECK(difference(z[k], to_rows) < 1e-13);
          x.transposed(d[k].data(), to_columns.data(), one);
          CHECK(difference(g[k], to_columns) < 1e-13);
          x.curvature(h[k].data(), w[k].data(), to_columns.data(), one);
          CHECK(difference(q[k], to_columns) < 1e-5);  // in float where X is sparse
          x.squares(h[k].data(), to_columns.data(), one);
          CHECK(difference(s[k], to_columns) < 1e-13);
        }
      }
    }
  }
}

TEST_CASE("products of directions that leave the range of float are computed in double") {
  base::ThreadPool pool(1);
  const Case c(300, 20, 0.2, -1.0, pool);
  std::vector<double> scaled = c.x;
  for (double& v : scaled) v *= 1e25;
  const data::Matrix x(DenseView{scaled.data(), ScalarType::float64, 300, 20, 20, 1}, -1.0, kCap, pool);
  const auto w = several(3, 20, 1), h = several(3, 300, 2);
  auto q = several(3, 20, 0);
  linear::curvature_products(x, reading(h), reading(w), writing(q), pool);
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> alone(20);
    x.curvature(h[k].data(), w[k].data(), alone.data(), pool);
    CHECK(difference(q[k], alone) < 1e-5);
  }
}

TEST_CASE("problems that are solved together end at the solution of each alone") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks), wide(3, 0, 100, hooks);
  for (const double filled : {0.15, 0.9}) {
    CAPTURE(filled);
    const Case c(900, 60, filled, 1.0, call.pool);
    for (const linear::Loss loss : {linear::Loss::logistic, linear::Loss::squared_hinge}) {
      std::vector<linear::Problem> problems(4);
      linear::SolveOptions options;
      options.relative_gap = 1e-10;
      std::vector<linear::NewtonProblem> tasks;
      for (std::size_t k = 0; k < problems.size(); ++k) {
        linear::Problem& p = problems[k];
        p.x = &c.matrix;
        p.loss = loss;
        p.C.assign(900, k == 3 ? 100.0 : 1.0);
        p.C[7] = 0.0;
        for (Index i = 0; i < 900; ++i)
          p.y.push_back(c.x[i * 60 + static_cast<Index>(k)] + 0.1 * c.x[i * 60 + 9] > 0.0 ? 1.0 : -1.0);
      }
      for (const linear::Problem& p : problems) tasks.push_back({&p, options});
      const std::vector<linear::Solution> together = linear::solve_newton(tasks, call.context);
      const std::vector<linear::Solution> threads = linear::solve_newton(tasks, wide.context);
      for (std::size_t k = 0; k < problems.size(); ++k) {
        CAPTURE(k);
        const linear::Solution alone = linear::solve_newton(problems[k], options, call.context);
        CHECK(together[k].w == threads[k].w);
        CHECK(together[k].stop_reason == StopReason::converged);
        const auto judged = linear::certificates({{&problems[k], &together[k]}, {&problems[k], &alone}}, call.pool);
        CHECK(std::abs(judged[0].report.primal_objective / judged[1].report.primal_objective - 1.0) < 1e-9);
        CHECK(judged[0].report.primal_objective - judged[0].report.dual_objective <= 2e-10 * judged[0].report.primal_objective);
        CHECK(difference(together[k].w, alone.w) < 1e-3);
      }
    }
  }
}

TEST_CASE("linear: a problem that leaves the range of double ends at once, and the one beside it goes on") {
  const Hooks hooks;
  base::Call call(1, 0, 100, hooks);
  const Case c(900, 60, 0.3, -1.0, call.pool);
  const auto solve = [&](double first_price) {
    std::vector<linear::Problem> problems(2);
    std::vector<linear::NewtonProblem> tasks;
    for (linear::Problem& p : problems) {
      p.x = &c.matrix;
      p.C.assign(900, 1.0);
      for (Index i = 0; i < 900; ++i) p.y.push_back(c.x[i * 60 + 3] > 0.0 ? 1.0 : -1.0);
      tasks.push_back({&p, linear::SolveOptions()});
    }
    problems[0].C.assign(900, first_price);
    return linear::solve_newton(tasks, call.context);
  };
  const std::vector<linear::Solution> apart = solve(1.0), beside = solve(1e200);
  CHECK(apart[0].stop_reason == StopReason::converged);
  CHECK(beside[0].stop_reason == StopReason::stagnated);
  CHECK(beside[0].n_inner == 0);
  CHECK(std::isnan(beside[0].violation));
  CHECK(std::all_of(beside[0].w.begin(), beside[0].w.end(), [](double w) { return std::isnan(w); }));
  CHECK(beside[1].stop_reason == StopReason::converged);
  CHECK(beside[1].violation <= beside[1].limit);
}
