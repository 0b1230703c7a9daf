// What gradients were formed from, over solves that are given those of the last one (qp/origins.hpp).
#include "qp/origins.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "qp/error_bound.hpp"
#include "qp/judge.hpp"
#include "qp/matrix_rows.hpp"
#include "qp/outcome.hpp"
#include "qp/rbf_problem.hpp"

using namespace dcsvm;

namespace {

/// q - K b, summed in long double.
std::vector<double> true_gradient(const handmade::RbfProblem& p, const std::vector<double>& beta) {
  std::vector<double> g(p.q);
  for (Index i = 0; i < p.n; ++i) {
    long double sum = 0;
    for (Index j = 0; j < p.n; ++j) {
      if (beta[j] != 0.0) sum += static_cast<long double>(beta[j]) * static_cast<long double>(p.entry(i, j));
    }
    g[i] -= static_cast<double>(sum);
  }
  return g;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += std::abs(v);
  return sum;
}

/// The bound of a gradient that comes from this origin, with the coefficients as they are now.
double bound_of(const qp::Origin& origin, const std::vector<double>& beta, const kernels::Rounding& rounding) {
  double norm1 = 0, square = 0, of_path = 0;
  for (std::size_t i = 0; i < beta.size(); ++i) {
    const double change = beta[i] - (origin.beta.empty() ? 0.0 : origin.beta[i]);
    norm1 += std::abs(change);
    square += change * change;
    of_path += origin.path.empty() ? 0.0 : origin.path[i] * origin.path[i];
  }
  const double norm2 = std::sqrt(square), path = std::max(norm2, std::sqrt(of_path));
  return qp::error_bound(rounding, static_cast<Index>(beta.size()), {norm1, norm2, norm1, path}, -1.0, origin.left_out).bound;
}

/// A problem, what a solve of it that verified nothing has found, and its matrix in double.
struct Solved {
  explicit Solved(handmade::RbfProblem of)
      : p(std::move(of)), rows(p.rows<float>()), exact(rows->in_double(call.pool)), beta(p.q.size(), 0.0), g(p.q.size()) {
    qp::Options options;
    options.verify = qp::Verify::nothing;
    result = qp::solve(*rows, p.problem(), options, beta.data(), g.data(), call.context);
  }
  handmade::RbfProblem p;
  decltype(p.rows<float>()) rows;
  handmade::Call call;
  decltype(rows->in_double(call.pool)) exact;
  std::vector<double> beta, g;
  qp::Result result;
};

}  // namespace

TEST_CASE("origins: no gradient of a chain of solves is further from the true one than they say, and few are kept") {
  handmade::RbfProblem p(1200, 2, 6.0, 1.0, 4);
  const auto rows = p.rows<float>();
  handmade::Call call;
  std::vector<double> beta(p.q.size(), 0.0), g = p.q;
  qp::Origins origins;
  qp::Options options;
  options.tol = 1e-3;
  options.verify = qp::Verify::violation;
  options.gradient_given = true;
  options.origins = &origins;
  std::size_t most = 0;
  bool in_float = false;
  for (int step = 0; step < 14; ++step) {
    for (std::size_t i = 0; i < beta.size(); ++i) {
      const double C = 20.0 * std::pow(1.7, step);
      (p.q[i] > 0 ? p.hi[i] : p.lo[i]) = p.q[i] * C;
    }
    const qp::Result result = qp::solve(*rows, p.problem(), options, beta.data(), g.data(), call.context);
    options.left_out = result.left_out;
    CHECK(result.stop_reason == StopReason::converged);
    const std::vector<double> truth = true_gradient(p, beta);
    CHECK(qp::bounds_of(p.problem(), beta.data(), truth.data()).violation(true) < 1.0001 * options.tol);
    most = std::max(most, origins.known.size());
    in_float = in_float || !result.in_double;
    std::vector<double> bounds;
    for (const qp::Origin& origin : origins.known) bounds.push_back(bound_of(origin, beta, rows->rounding()));
    const double largest = std::max(std::abs(*std::max_element(beta.begin(), beta.end())), 1.0);
    int outside = 0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
      const double bound = bounds[origins.of.empty() ? 0 : origins.of[i]];
      outside += std::abs(g[i] - truth[i]) <= bound + 1e-12 * largest ? 0 : 1;
    }
    CHECK(outside == 0);
  }
  CHECK(in_float);
  CHECK(most >= 3);
  CHECK(most <= 7);
}

TEST_CASE("origins: the steps of a solve whose gradients are given to the next one are counted there") {
  handmade::RbfProblem p(600, 2, 4.0, 1.0, 9);
  const auto rows = p.rows<float>();
  handmade::Call call;
  std::vector<double> beta(p.q.size(), 0.0), g(p.q.size());
  qp::Origins origins;
  qp::Options options;
  options.verify = qp::Verify::nothing;
  options.origins = &origins;
  qp::solve(*rows, p.problem(), options, beta.data(), g.data(), call.context);
  CHECK(origins.known.size() == 1);
  CHECK(origins.known[0].beta.empty());
  const std::vector<double> first = origins.known[0].path, at = beta;
  for (std::size_t i = 0; i < beta.size(); ++i) REQUIRE(first[i] >= std::abs(at[i]) * (1 - 1e-12));
  options.gradient_given = true;
  options.tol = 1e-5;
  qp::solve(*rows, p.problem(), options, beta.data(), g.data(), call.context);
  REQUIRE(beta != at);
  const std::vector<double>& second = origins.known[0].path;
  for (std::size_t i = 0; i < beta.size(); ++i) REQUIRE(second[i] - first[i] >= std::abs(beta[i] - at[i]) - 1e-12 * second[i]);
  options.gradient_given = false;  // formed anew
  qp::solve(*rows, p.problem(), options, beta.data(), g.data(), call.context);
  CHECK(sum_of(origins.known[0].path) == doctest::Approx(sum_of(beta)));
}

TEST_CASE("origins: the path of a solve in parts is longer than where it leads, with and without shrinking") {
  handmade::RbfProblem p(3000, 2, 6.0, 1e4, 9);
  const auto rows = p.rows<float>();
  handmade::Call call;
  for (const bool shrinking : {false, true}) {
    std::vector<double> beta(p.q.size(), 0.0), g = p.q;
    qp::Origins origins;
    qp::Options options;
    options.verify = qp::Verify::nothing;
    options.origins = &origins;
    options.shrinking = shrinking;
    qp::solve(*rows, p.problem(), options, beta.data(), g.data(), call.context);
    const std::vector<double>& path = origins.known[0].path;
    for (std::size_t i = 0; i < beta.size(); ++i) REQUIRE(path[i] >= std::abs(beta[i]) * (1 - 1e-12));
    CHECK(sum_of(path) > 1.5 * sum_of(beta));
  }
}

TEST_CASE("origins: none hands on a shorter path than where it leads, also where heavy coefficients were treated in double") {
  for (const Index d : {2, 80}) {
    handmade::RbfProblem p(1500, d, d == 2 ? 6.0 : 0.05, 1e6, 3, 0.2);
    for (Index i = 0; i < p.n; ++i) {
      const double weight = i % 60 == 0 ? 1.0 : 1e-4;
      p.lo[i] *= weight, p.hi[i] *= weight;
    }
    const auto rows = p.rows<float>();
    handmade::Call call;
    std::vector<double> beta(p.q.size(), 0.0), g = p.q;
    qp::Origins origins;
    qp::Options options;
    options.gradient_given = true;
    options.origins = &origins;
    options.verify = qp::Verify::violation;
    bool renewed = false;
    for (options.tol = 3e-2; options.tol > 1e-6; options.tol *= 0.1) {
      const qp::Result result = qp::solve(*rows, p.problem(), options, beta.data(), g.data(), call.context);
      options.left_out = result.left_out;
      if (result.in_double) break;
      for (const qp::Origin& origin : origins.known) {
        renewed = renewed || (!origin.beta.empty() && origin.beta != beta);
        int shorter = 0;
        for (std::size_t i = 0; i < beta.size(); ++i) {
          const double change = std::abs(beta[i] - (origin.beta.empty() ? 0.0 : origin.beta[i]));
          shorter += change * (1.0 - 1e-12) > (origin.path.empty() ? 0.0 : origin.path[i]) ? 1 : 0;
        }
        CHECK(shorter == 0);
      }
    }
    CHECK(renewed);
  }
}

TEST_CASE("origins: judges are counted, because each of a chain must draw other rows") {
  Solved at(handmade::RbfProblem(1200, 2, 6.0, 200.0, 4));
  const qp::Problem problem = at.p.problem();
  qp::Origins origins;
  for (std::uint64_t judges = 1; judges <= 9; ++judges) {
    qp::Judged said(problem, at.beta.data(), at.g.data(), at.rows->rounding(), at.call.context, at.result, {}, origins);
    said.judge(*at.rows, *at.exact, 1e-3, false, at.result);
    origins = said.origins();
    CHECK(origins.judged >= judges);
    CHECK(origins.known.size() <= 7);
  }
}

TEST_CASE("origins: of t times the coefficients") {
  const std::vector<double> q = {1.0, -1.0};
  qp::Origins origins;
  origins.known[0].path = {3.0, 1.0};
  origins.known.push_back({{2.0, 0.0}, {0.5, -4.0}, 0.25, 0.75});
  origins.scale(2.0, q.data());
  CHECK(origins.known[0].path == std::vector<double>{6.0, 2.0});
  CHECK(origins.known[0].gradient.empty());
  CHECK(origins.known[1].beta == std::vector<double>{4.0, 0.0});
  CHECK(origins.known[1].gradient == std::vector<double>{0.0, -7.0});  // q + t (g - q)
  CHECK(origins.known[1].error == 0.5);
  CHECK(origins.known[1].coherent == 1.5);
}

TEST_CASE("origins: the claim of a caller's gradient is never accepted before gradients in double have tested it") {
  Solved at(handmade::RbfProblem(600, 2, 4.0, 1.0, 9));
  const qp::Problem problem = at.p.problem();
  const auto is_known = [&](qp::Origins origins) {
    const qp::Judged said(problem, at.beta.data(), at.g.data(), at.rows->rounding(), at.call.context, at.result, {},
                          std::move(origins));
    return said.is_known(at.result, 1.0, false);
  };
  CHECK(is_known({}));
  CHECK_FALSE(is_known(qp::Origins::of_caller(at.beta.data(), at.p.n)));
}

TEST_CASE("origins: in double, the steps of earlier solves are counted until the gradient is formed anew") {
  const handmade::RbfProblem p(600, 2, 4.0, 1.0, 9);
  const auto rows = p.rows<double>();
  handmade::Call call;
  std::vector<double> beta(p.q.size(), 0.0), g(p.q.size());
  qp::Origins origins;
  qp::Options options;
  options.verify = qp::Verify::nothing;
  options.origins = &origins;
  qp::solve(*rows, p.problem(), options, beta.data(), g.data(), call.context);
  const double first = sum_of(origins.known[0].path);
  CHECK(first >= sum_of(beta) * (1 - 1e-12));
  options.gradient_given = true;
  options.tol = 1e-6;
  qp::solve(*rows, p.problem(), options, beta.data(), g.data(), call.context);
  CHECK(sum_of(origins.known[0].path) > first);
}

TEST_CASE("origins: each is tested, also where few variables have it") {
  Solved at(handmade::RbfProblem(1500, 2, 4.0, 1.0, 9));
  REQUIRE(at.result.stop_reason == StopReason::converged);
  const qp::Problem problem = at.p.problem();
  const qp::Bounds ends = qp::bounds_of(problem, at.beta.data(), at.g.data()).of[0];
  const double middle = 0.5 * (ends.up + ends.low), tol = 1e-2;
  const auto judged = [&](double wrong_by) {
    std::vector<double> given = at.g;
    qp::Origins origins;
    origins.known.push_back(qp::Origins::of_caller(at.beta.data(), at.p.n).known[0]);
    origins.of.assign(given.size(), 0);
    Index few = 0;
    for (Index i = 0; i < at.p.n && few < 15; ++i) {  // none that is near the ends
      const bool below = at.beta[i] == at.p.lo[i] && given[i] < middle - 0.1;
      const bool above = at.beta[i] == at.p.hi[i] && given[i] > middle + 0.1;
      if (!below && !above) continue;
      origins.of[i] = 1, ++few;
      given[i] += below ? -wrong_by : wrong_by;
    }
    REQUIRE(few == 15);
    qp::Result of = at.result;
    qp::Judged said(problem, at.beta.data(), given.data(), at.rows->rounding(), at.call.context, of, {}, origins);
    said.judge(*at.rows, *at.exact, tol, false, of);
    return said.all_exact();
  };
  CHECK_FALSE(judged(0.0));
  CHECK(judged(0.5));
}

TEST_CASE("origins: changes of the two variables of a point add up where they have one sign") {
  const handmade::RbfProblem p(1200, 2, 4.0, 1.0, 9);
  handmade::Call call;
  std::vector<double> beta(p.q.size(), 0.0), g = p.q;
  qp::Origins origins;
  origins.known[0].beta.assign(p.q.size(), 0.0);
  origins.known[0].gradient = p.q;
  for (std::size_t i = 0; i < 200; ++i) beta[i] = 1.0;
  kernels::Rounding only_values;
  only_values.deviation = 1e-7;
  only_values.shared_norm = 0;
  const qp::Problem problem = p.problem();
  for (const Index per_point : {1, 2}) {
    const double square = per_point == 1 ? 200.0 : 400.0;
    const qp::EqualRows points(per_point);
    const qp::Judged said(problem, beta.data(), g.data(), only_values, call.context, qp::Result(), {}, origins, points);
    CHECK(said.bound() ==
          doctest::Approx(qp::error_bound(only_values, p.n, {0.0, std::sqrt(square), 0.0, std::sqrt(square)}, 0.0, 0.0).bound));
  }
}
