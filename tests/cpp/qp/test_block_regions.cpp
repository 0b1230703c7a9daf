// The solver over rows that leave out far columns: the same solution, a violation that covers the true one, and an end whatever
// is left out.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/spatial_order.hpp"
#include "doctest/doctest.h"
#include "kernels/regions.hpp"
#include "qp/rbf_problem.hpp"

using namespace dcsvm;
using handmade::Call;
using handmade::RbfProblem;

namespace {

constexpr std::size_t kRegionMb = std::size_t{1} << 20;

// A local problem in spatial order. 2 features: rows so cheap that none is kept; 10: rows in the region cache.
RbfProblem local(Index n, Index d, double C, std::uint64_t seed, double noise = 0.05) {
  RbfProblem p(n, d, 6.0, C, seed, noise);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 2; k < d; ++k) p.x[i * d + k] *= 0.2;
  }
  base::ThreadPool pool(2);
  const auto order = data::spatial_order(dense(p.x.data(), n, d), kernels::region_size<float>(), pool);
  RbfProblem sorted = p;
  for (Index i = 0; i < n; ++i) {
    const Index from = order[i];
    std::copy(p.x.begin() + from * d, p.x.begin() + (from + 1) * d, sorted.x.begin() + i * d);
    sorted.q[i] = p.q[from];
    sorted.lo[i] = p.lo[from];
    sorted.hi[i] = p.hi[from];
  }
  return sorted;
}

struct RegionOutcome {
  qp::Result result;
  std::vector<double> beta;
  std::int64_t n_values = 0;
};

struct Ask {
  double negligible = 0;
  std::size_t cap = 200 * kRegionMb;
  double tol = 1e-3;
  int threads = 2;
  bool shrinking = true;
  std::int64_t max_iter = -1;
  std::vector<double> start = {};
};

template <class T>
RegionOutcome run(const RbfProblem& p, const Ask& ask) {
  int polls = 0;
  Call call(ask.threads, ask.cap, [&polls] {
    if (++polls > 200000) throw std::runtime_error("the solver does not end");  // others need a few thousand
  });
  const auto rows = kernel_matrix::make_kernel_rows<T>(dense(p.x.data(), p.n, p.d), p.kernel, call.pool, ask.negligible);
  RegionOutcome out;
  out.beta = ask.start.empty() ? std::vector<double>(p.n, 0.0) : ask.start;
  out.result = qp::solve<T>(*rows, p.problem(), {ask.tol, ask.max_iter, ask.shrinking}, out.beta.data(), nullptr, call.context);
  out.n_values = rows->n_values();
  return out;
}

double sum_abs(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0, [](double sum, double b) { return sum + std::abs(b); });
}

// What rounded kernel values may add to the violation.
template <class T>
double rounding(const RegionOutcome& o) {
  return (std::is_same_v<T, float> ? 1e-6 : 1e-13) * std::sqrt(sum_abs(o.beta) * std::max(1.0, sum_abs(o.beta) / 100));
}

// The promises: feasible, in its cap, and the reported violation covers the true one.
template <class T>
double check_honest(const RbfProblem& p, const RegionOutcome& o, const Ask& ask) {
  const auto m = p.measured(o.beta);
  CHECK(m.feasible);
  if (p.equality) CHECK(std::abs(m.sum) < 1e-9 * std::max(1.0, sum_abs(o.beta)));
  CHECK(m.violation <= o.result.violation + rounding<T>(o));
  CHECK(o.result.peak_bytes <= static_cast<std::int64_t>(ask.cap));
  CHECK((o.result.stop_reason == StopReason::converged) == (o.result.violation < ask.tol));
  // No gradient is wrong by more than half the violation, and the objective is half of beta times gradients.
  const double left_out = 0.25 * o.result.violation * sum_abs(o.beta);
  CHECK(std::abs(o.result.objective - m.objective) <= left_out + rounding<T>(o) * std::abs(m.objective));
  return m.violation;
}

}  // namespace

TEST_CASE_TEMPLATE("regions: the solution of the same source without, with fewer values; caps, equality, tolerances", T, float,
                   double) {
  for (const Index d : {2, 10}) {
    for (const bool equality : {true, false}) {
      RbfProblem p = local(6000, d, 5.0, 1);
      p.equality = equality;
      for (const double tol : {3e-2, 1e-3}) {
        if (std::is_same_v<T, double> && equality == (d == 2)) continue;
        const double negligible = 0.01 * tol / (5.0 * static_cast<double>(p.n));
        Ask ask{0.0, 200 * kRegionMb, tol};
        const auto plain = run<T>(p, ask);
        CAPTURE(d);
        CAPTURE(equality);
        CAPTURE(tol);
        check_honest<T>(p, plain, ask);
        ask.negligible = negligible;
        for (const std::size_t cap : {200 * kRegionMb, 3 * kRegionMb}) {  // tight: rows evicted, updates in parts
          ask.cap = cap;
          const auto by_region = run<T>(p, ask);
          CAPTURE(cap);
          CHECK(by_region.result.stop_reason == StopReason::converged);
          check_honest<T>(p, by_region, ask);
          // In double the gradient is formed once more, with what was left out: a report must not count that.
          const double share = std::is_same_v<T, double> ? 1.0 : 0.8;
          if (cap == 200 * kRegionMb)
            CHECK(static_cast<double>(by_region.n_values) < share * static_cast<double>(plain.n_values));
          CHECK(by_region.result.objective == doctest::Approx(plain.result.objective).epsilon(tol));
          CHECK(by_region.result.bias == doctest::Approx(plain.result.bias).epsilon(3 * tol));
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("regions: the same bits on 1, 2 and 5 threads, in plenty of memory and in little", T, float, double) {
  for (const Index d : {2, 10}) {
    const RbfProblem p = local(4000, d, 3.0, 2);
    for (const std::size_t cap : {sizeof(T) * kRegionMb, 100 * kRegionMb}) {
      Ask ask{1e-10, cap, 1e-2, 1};
      const auto one = run<T>(p, ask);
      for (const int threads : {2, 5}) {
        ask.threads = threads;
        const auto several = run<T>(p, ask);
        CHECK(several.beta == one.beta);
        CHECK(several.result.violation == one.result.violation);
        CHECK(several.result.bias == one.result.bias);
        CHECK(several.n_values == one.n_values);
      }
    }
  }
}

TEST_CASE("regions: all a gradient leaves out may be a tenth of tol, tol itself, or a hundred times it: an end, and honest") {
  for (const Index d : {2, 10}) {
    for (const bool equality : {true, false}) {
      RbfProblem p = local(5000, d, 5.0, 3);
      p.equality = equality;
      Ask ask;
      ask.tol = 1e-2;
      const auto plain = run<double>(p, ask);
      const double sum = sum_abs(plain.beta);
      for (const double share : {0.02, 0.06, 0.3, 0.45, 0.6, 3.0, 100.0}) {
        for (const bool warm : {false, true}) {
          for (const bool shrinking : {true, false}) {
            if (shrinking != (share < 0.5) && (warm || equality == (d == 2))) continue;
            CAPTURE(d);
            CAPTURE(equality);
            CAPTURE(share);
            CAPTURE(warm);
            CAPTURE(shrinking);
            ask.negligible = share * ask.tol / sum;
            ask.shrinking = shrinking;
            ask.max_iter = 300000;
            ask.start = warm ? plain.beta : std::vector<double>{};
            const auto o = run<double>(p, ask);
            check_honest<double>(p, o, ask);
            if (share < 0.4) CHECK(o.result.stop_reason == StopReason::converged);
            if (share > 0.6) CHECK(o.result.stop_reason != StopReason::converged);
          }
        }
      }
    }
  }
}

TEST_CASE("regions: rows kept from before a renewed gradient shrank the problem are not taken for others") {
  // Nearly orthogonal points: solved before anything is shrunk. Then the gradient is formed anew, the many at their small bounds
  // go, and more than a tile's are left.
  RbfProblem p = local(4300, 10, 5.0, 4, 0.0);
  p.kernel.gamma = 40;
  for (Index i = 0; i < p.n; ++i) {
    if (i % 50 < 12) (p.q[i] > 0 ? p.hi : p.lo)[i] = p.q[i] * 0.3;
  }
  Ask ask;
  ask.tol = 1e-2;
  ask.max_iter = 100000;  // wrong rows lead nowhere
  const double sum = sum_abs(run<double>(p, ask).beta);
  for (const double share : {0.2, 0.3, 0.4, 0.45, 0.48}) {
    CAPTURE(share);
    ask.negligible = share * ask.tol / sum;
    const auto o = run<double>(p, ask);
    check_honest<double>(p, o, ask);
    CHECK(o.result.stop_reason == StopReason::converged);
  }
}

TEST_CASE("regions: max_iter and a start that is already solved") {
  const RbfProblem p = local(5000, 10, 5.0, 5);
  Ask ask{1e-9, 100 * kRegionMb, 1e-3};
  const auto solved = run<double>(p, ask);
  REQUIRE(solved.result.stop_reason == StopReason::converged);
  ask.start = solved.beta;
  const auto again = run<double>(p, ask);
  check_honest<double>(p, again, ask);
  CHECK(again.result.stop_reason == StopReason::converged);
  CHECK(again.result.n_iter < solved.result.n_iter / 20);
  ask.start.clear();
  for (const std::int64_t steps : {0, 1, 700}) {
    ask.max_iter = steps;
    const auto stopped = run<double>(p, ask);
    CHECK(stopped.result.stop_reason == StopReason::max_iter);
    CHECK(stopped.result.n_iter <= steps);
    check_honest<double>(p, stopped, ask);
  }
}
