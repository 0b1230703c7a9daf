// Problems beyond one tile: the result must not depend on memory, threads or shrinking, and the byte cap is a promise.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "qp/rbf_problem.hpp"

using namespace dcsvm;
using handmade::Call;
using handmade::RbfProblem;

namespace {

constexpr std::size_t kMb = std::size_t{1} << 20;

struct Outcome {
  qp::Result result;
  std::vector<double> beta;
  std::int64_t n_values;
};

template <class T>
Outcome run(const RbfProblem& p, std::size_t cap, int threads = 2, bool shrinking = true, double tol = 1e-3,
            std::vector<double> start = {}) {
  Call call(threads, cap);
  const auto rows = p.rows<T>();
  Outcome out;
  out.beta = start.empty() ? std::vector<double>(p.n, 0.0) : std::move(start);
  out.result = qp::solve<T>(*rows, p.problem(), {tol, -1, shrinking}, out.beta.data(), nullptr, call.context);
  out.n_values = rows->n_values();
  return out;
}

// What the tolerance and float kernel values leave open.
void check_solved(const RbfProblem& p, const Outcome& o, std::size_t cap, double tol) {
  const auto m = p.measured(o.beta);
  CHECK(o.result.stop_reason == StopReason::converged);
  CHECK(o.result.violation < tol);
  CHECK(m.violation < 1.1 * tol);
  CHECK(m.feasible);
  if (p.equality) CHECK(std::abs(m.sum) < 1e-9);
  CHECK(o.result.objective == doctest::Approx(m.objective).epsilon(1e-5));
  CHECK(o.result.peak_bytes > 0);
  CHECK(o.result.peak_bytes <= static_cast<std::int64_t>(cap));
}

}  // namespace

TEST_CASE_TEMPLATE("5000 variables: plenty of memory, a few rows, no shrinking: the same solution", T, float, double) {
  for (const bool equality : {true, false}) {
    RbfProblem p(5000, 2, 3.0, 10.0, 1);
    p.equality = equality;
    const auto plenty = run<T>(p, 256 * kMb), tight = run<T>(p, 2 * kMb), steady = run<T>(p, 8 * kMb, 2, false);
    CAPTURE(equality);
    check_solved(p, plenty, 256 * kMb, 1e-3);
    check_solved(p, tight, 2 * kMb, 1e-3);
    check_solved(p, steady, 8 * kMb, 1e-3);
    CHECK(tight.n_values > plenty.n_values);  // rows were evicted and computed again
    CHECK(tight.result.objective == doctest::Approx(plenty.result.objective).epsilon(1e-5));
    CHECK(steady.result.objective == doctest::Approx(plenty.result.objective).epsilon(1e-5));
  }
}

TEST_CASE_TEMPLATE("the same bits on 1, 2 and 5 threads", T, float, double) {
  for (const std::size_t cap : {2 * kMb, 100 * kMb}) {
    for (const bool equality : {true, false}) {
      RbfProblem p(4000, 3, 2.0, 3.0, 2);
      p.equality = equality;
      const auto one = run<T>(p, cap, 1);
      for (const int threads : {2, 5}) {
        const auto several = run<T>(p, cap, threads);
        CHECK(several.beta == one.beta);
        CHECK(several.result.n_iter == one.result.n_iter);
        CHECK(several.result.objective == one.result.objective);
        CHECK(several.result.violation == one.result.violation);
        CHECK(several.result.bias == one.result.bias);
        CHECK(several.n_values == one.n_values);
      }
    }
  }
}

TEST_CASE_TEMPLATE("any cap: solved within it, or an error that says how much is needed", T, float, double) {
  const RbfProblem p(3000, 2, 2.0, 1.0, 3);
  int solved = 0, refused = 0;
  for (std::size_t cap = 1024; cap < 64 * kMb; cap = cap * 5 / 2) {
    CAPTURE(cap);
    try {
      check_solved(p, run<T>(p, cap, 2, true, 3e-2), cap, 3e-2);
      ++solved;
    } catch (const CapError& e) {
      const std::string text = e.what();
      CHECK(solved == 0);  // more is never too little
      CHECK(text.rfind("cache_size", 0) == 0);
      const auto number = text.find("at least ");
      REQUIRE(number != std::string::npos);
      const auto needed = static_cast<std::size_t>(std::atoi(text.c_str() + number + 9)) * kMb;
      REQUIRE(needed > cap);
      check_solved(p, run<T>(p, needed, 2, true, 3e-2), needed, 3e-2);
      ++refused;
    }
  }
  CHECK(solved > 3);
  CHECK(refused > 1);
}

TEST_CASE_TEMPLATE("a cap that a message names holds long rows, and the tile that grows with it", T, float, double) {
  const RbfProblem p(150000, 2, 2.0, 1.0, 3);
  const auto rows = p.rows<T>();
  qp::Options options;
  options.max_iter = 20;
  options.shrinking = false;
  options.verify = qp::Verify::nothing;
  // What a call whose cap is `cap` says, of which the solve has a part; 0: nothing.
  const auto named = [&](std::size_t cap, std::size_t part) {
    Call call(1, cap / part);
    call.context.call_cap_bytes = cap;
    std::vector<double> beta(p.n, 0.0);
    try {
      const auto result = qp::solve<T>(*rows, p.problem(), options, beta.data(), nullptr, call.context);
      CHECK(result.n_iter == 20);
      CHECK(result.peak_bytes <= static_cast<std::int64_t>(cap / part));
    } catch (const CapError& e) {
      const std::string text = e.what();
      const auto number = text.find("at least ");
      REQUIRE(number != std::string::npos);
      return static_cast<std::size_t>(std::atoi(text.c_str() + number + 9)) * kMb;
    }
    return std::size_t{0};
  };
  for (const std::size_t part : {1, 2}) {
    for (const std::size_t cap : {kMb / 64, kMb, part * kMb * 5 / 4}) {
      CAPTURE(part);
      CAPTURE(cap);
      const std::size_t enough = named(cap, part);
      REQUIRE(enough > cap);
      CHECK(named(enough, part) == 0);
      if (sizeof(T) == 8) CHECK(named(enough / 2, part) == enough);  // and no multiple of what is needed
    }
  }
}

TEST_CASE_TEMPLATE("wide points: packed columns and cached rows share the cap, before and after shrinking", T, float, double) {
  // 1000 features: all packed points exceed what the cap leaves for them, those that remain after shrinking fit.
  RbfProblem p(3500, 1000, 0.6, 100.0, 4, 0.0);
  for (Index i = 0; i < p.n; ++i) {
    for (Index k = 2; k < p.d; ++k) p.x[i * p.d + k] *= 0.02;
  }
  for (const std::size_t mb : {sizeof(T) * 4, sizeof(T) * 6, sizeof(T) * 8}) {
    CAPTURE(mb);
    const auto o = run<T>(p, mb * kMb, 2, true, 1e-2);
    CHECK(o.result.stop_reason == StopReason::converged);
    CHECK(o.result.peak_bytes <= static_cast<std::int64_t>(mb * kMb));
  }
}

TEST_CASE("warm starts: the solution needs no step; a part of the way there needs fewer") {
  for (const bool equality : {true, false}) {
    RbfProblem p(3500, 2, 2.0, 5.0, 5);
    p.equality = equality;
    const auto cold = run<double>(p, 64 * kMb, 2, true, 1e-4);
    const auto again = run<double>(p, 64 * kMb, 2, true, 1.01e-4, cold.beta);
    CHECK(again.result.n_iter == 0);
    CHECK(again.beta == cold.beta);
    const auto half = run<double>(p, 64 * kMb, 2, true, 1e-1);
    const auto rest = run<double>(p, 64 * kMb, 2, true, 1e-4, half.beta);
    check_solved(p, rest, 64 * kMb, 1e-4);
    CHECK(rest.result.n_iter < cold.result.n_iter);
    CHECK(rest.result.objective == doctest::Approx(cold.result.objective).epsilon(1e-6));
  }
}

TEST_CASE("a sum that is not zero is kept, fixed variables stay, boxes differ") {
  RbfProblem p(3000, 2, 2.0, 1.0, 6);
  base::Random random(1);
  std::vector<double> beta(3000, 0.0);
  for (Index i = 0; i < p.n; ++i) {
    const double factor = 0.1 + 3 * random.uniform();
    p.lo[i] *= factor;
    p.hi[i] *= factor;
    if (random.uniform() < 0.05) p.lo[i] = p.hi[i] = beta[i] = random.uniform();
  }
  const auto start = p.measured(beta);
  const auto o = run<double>(p, 16 * kMb, 2, true, 1e-3, beta);
  const auto m = p.measured(o.beta);
  CHECK(o.result.stop_reason == StopReason::converged);
  CHECK(m.violation < 1e-3);
  CHECK(m.feasible);
  CHECK(start.sum > 10);
  CHECK(m.sum == doctest::Approx(start.sum).epsilon(1e-12));
}

TEST_CASE_TEMPLATE("3000 equal points with both labels, and an indefinite K: no hang, a named reason", T, float, double) {
  for (const bool equality : {true, false}) {
    const Index n = 3000;
    RbfProblem p(n, 2, 2.0, 1.0, 7);
    p.equality = equality;
    std::fill(p.x.begin(), p.x.end(), 1.0);
    const auto o = run<T>(p, 8 * kMb);
    check_solved(p, o, 8 * kMb, 1e-3);

    const handmade::FunctionRows<T> indefinite(
        n, [](Index i, Index j) { return std::tanh(0.02 * static_cast<double>((i * j) % 101) - 1.0); });
    Call call(2, 8 * kMb);
    std::vector<double> beta(n, 0.0);
    const auto result = qp::solve<T>(indefinite, p.problem(), {1e-2, 200000, true}, beta.data(), nullptr, call.context);
    const auto m = handmade::measure(
        p.problem(), [](Index i, Index j) { return std::tanh(0.02 * static_cast<double>((i * j) % 101) - 1.0); }, beta);
    CHECK(m.feasible);
    CHECK(result.violation == doctest::Approx(m.violation).epsilon(1e-3));
    if (result.stop_reason == StopReason::converged) CHECK(m.violation < 1.1e-2);
    CHECK(result.peak_bytes <= static_cast<std::int64_t>(8 * kMb));
  }
}

TEST_CASE("max_iter and cancel stop from a feasible point with the true numbers") {
  const RbfProblem p(3000, 2, 4.0, 100.0, 8, 0.1);
  for (const std::int64_t steps : {0, 1, 3000}) {
    Call call(2, 4 * kMb);
    std::vector<double> beta(3000, 0.0);
    const auto result =
        qp::solve<double>(*p.rows<double>(), p.problem(), {1e-5, steps, true}, beta.data(), nullptr, call.context);
    CHECK(result.stop_reason == StopReason::max_iter);
    CHECK(result.n_iter == steps);
    const auto m = p.measured(beta);
    CHECK(m.feasible);
    CHECK(result.violation == doctest::Approx(m.violation));
    CHECK(result.objective == doctest::Approx(m.objective));
  }
  for (const int when : {1, 2, 3}) {
    Hooks hooks;
    int calls = 0;
    hooks.progress_interval = 0;
    hooks.progress = [&](const Progress& now) {
      CHECK(now.violation >= 1e-7);
      CHECK(now.active > 0);
      return ++calls == when;
    };
    base::Monitor monitor(hooks);
    Call call(2, 2 * kMb);
    call.context.monitor = &monitor;
    std::vector<double> beta(3000, 0.0);
    const auto result = qp::solve<double>(*p.rows<double>(), p.problem(), {1e-7, -1, true}, beta.data(), nullptr, call.context);
    CHECK(calls == when);
    CHECK(result.stop_reason == StopReason::cancelled);
    const auto m = p.measured(beta);
    CHECK(m.feasible);
    CHECK(std::abs(m.sum) < 1e-9);
    CHECK(result.violation == doctest::Approx(m.violation));
  }
}

TEST_CASE("progress counts the variables that are not 0, and those that are shrunk too") {
  const RbfProblem p(3000, 2, 4.0, 100.0, 8, 0.1);
  const auto n_support = [](const std::vector<double>& beta) {
    return std::count_if(beta.begin(), beta.end(), [](double b) { return b != 0.0; });
  };
  const auto start = run<double>(p, 4 * kMb, 2, true, 1.0);
  bool shrunk = false;
  for (const bool warm : {false, true}) {
    const std::vector<double> first = warm ? start.beta : std::vector<double>(3000, 0.0);
    for (int when = 1; when <= 60; when += 1 + when / 3) {  // a cancelled solve leaves beta as it was reported
      Hooks hooks;
      int calls = 0;
      Progress last;
      hooks.progress_interval = 0;
      hooks.progress = [&](const Progress& now) {
        last = now;
        return ++calls == when;
      };
      base::Monitor monitor(hooks);
      Call call(2, 2 * kMb);
      call.context.monitor = &monitor;
      auto beta = first;
      const auto result = qp::solve<double>(*p.rows<double>(), p.problem(), {1e-7, -1, true}, beta.data(), nullptr, call.context);
      if (result.stop_reason != StopReason::cancelled) break;
      CHECK(last.n_support == n_support(beta));
      if (when == 1) CHECK(last.n_support == n_support(first));
      shrunk = shrunk || last.active < last.n_support;
    }
  }
  CHECK(shrunk);
}

TEST_CASE("progress reports the objective of the problem, also from a warm start") {
  const RbfProblem p(3000, 2, 4.0, 100.0, 8, 0.1);
  const auto start = run<double>(p, 4 * kMb, 2, true, 1.0);
  const double first = p.measured(start.beta).objective;
  Hooks hooks;
  std::vector<double> seen;
  hooks.progress = [&](const Progress& now) {
    seen.push_back(now.objective);
    return seen.size() == 5;
  };
  base::Monitor monitor(hooks);
  Call call(2, 2 * kMb);
  call.context.monitor = &monitor;
  auto beta = start.beta;
  qp::solve<double>(*p.rows<double>(), p.problem(), {1e-7, -1, true}, beta.data(), nullptr, call.context);
  REQUIRE(!seen.empty());
  const double last = p.measured(beta).objective;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i] <= (i == 0 ? first : seen[i - 1]) + 1e-6 * std::abs(first));
    CHECK(seen[i] >= last - 1e-6 * std::abs(last));
  }
}

TEST_CASE("an interrupt at any poll of the block path leaves through solve") {
  const RbfProblem p(2600, 2, 4.0, 10.0, 9);
  for (const int threads : {1, 2, 5}) {
    for (const int when : {1, 2, 3, 10, 50, 200}) {
      int polls = 0;
      Call call(threads, 2 * kMb, [&] {
        if (++polls >= when) throw Interrupted();
      });
      std::vector<double> beta(2600, 0.0);
      const auto rows = p.rows<float>();
      CHECK_THROWS_AS(qp::solve<float>(*rows, p.problem(), {1e-6, -1, true}, beta.data(), nullptr, call.context), Interrupted);
      CHECK(polls == when);
    }
  }
}

TEST_CASE("an exception of the row source leaves through solve") {
  for (const int threads : {1, 2}) {
    for (const std::int64_t after : {0, 5000, 3000000}) {
      std::atomic<std::int64_t> calls{0};
      const handmade::FunctionRows<float> rows(3000, [&](Index i, Index j) -> double {
        if (++calls > after) throw std::bad_alloc();
        return i == j ? 2.0 : 1.0 / (1.0 + std::abs(static_cast<double>(i - j)));
      });
      const RbfProblem p(3000, 2, 1.0, 1.0, 10);
      Call call(threads, 4 * kMb);
      std::vector<double> beta(3000, 0.0);
      CHECK_THROWS_AS(qp::solve<float>(rows, p.problem(), {1e-6, -1, true}, beta.data(), nullptr, call.context), std::bad_alloc);
    }
  }
}

// Nothing can move within such a sample, nor within the other class alone: stages of one side must not take turns for ever.
TEST_CASE("a sample start whose sample holds one class only") {
  RbfProblem p(9000, 2, 4.0, 1.0, 11);
  handmade::Random sample(0), other(1);  // as in qp/block_sample.cpp
  for (Index i = 0; i < p.n; ++i) {
    const bool positive = sample.uniform() < 0.25 || other.uniform() < 0.4;
    p.q[i] = positive ? 1 : -1;
    p.lo[i] = positive ? 0 : -1;
    p.hi[i] = positive ? 1 : 0;
  }
  for (const bool equality : {true, false}) {
    p.equality = equality;
    int polls = 0;
    Call call(1, 64 * kMb, [&] {
      if (++polls > 200000) throw Interrupted();
    });
    std::vector<double> beta(p.n, 0.0);
    const auto rows = p.rows<float>();
    const auto result = qp::solve<float>(*rows, p.problem(), {0.1, -1, true}, beta.data(), nullptr, call.context);
    CHECK(result.stop_reason == StopReason::converged);
    CHECK(result.violation < 0.1);
  }
}
