// Problems with a linear kernel, whose gradients go through weights: certificates computed plainly, and kernel rows as a twin.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "qp/linear_descent.hpp"
#include "qp/matrix_rows.hpp"

using namespace dcsvm;
using handmade::Call;

namespace {

// Overlapping classes; some rows are duplicates, some are empty, one variable in 50 is fixed.
struct LinearProblem {
  Index n, d;
  std::vector<double> x, q, lo, hi, start;
  std::vector<std::uint8_t> group;
  bool equality = true;

  LinearProblem(Index rows, Index cols, double C, double density, std::uint64_t seed) : n(rows), d(cols), start(rows, 0.0) {
    base::Random random(seed);
    for (Index i = 0; i < n; ++i) {
      const bool positive = random.uniform() < 0.4;
      for (Index k = 0; k < d; ++k) {
        const double shift = k == 0 ? (positive ? 0.5 : -0.5) : 0.0;
        const double v = random.uniform() < density ? 2 * random.uniform() - 1 + shift : 0.0;
        x.push_back(i % 17 == 3 && i > 0 ? x[(i - 1) * d + k] : i % 40 == 7 ? 0.0 : v);
      }
      const double upper = i % 50 == 11 ? 0.0 : C * (0.5 + random.uniform());
      q.push_back(positive ? 1 : -1);
      lo.push_back(positive ? 0 : -upper);
      hi.push_back(positive ? upper : 0);
    }
  }
  // As nu-SVC has them: q = 0, each group keeps its sum.
  void make_groups() {
    for (Index i = 0; i < n; ++i) {
      group.push_back(q[i] > 0 ? 0 : 1);
      q[i] = 0;
      start[i] = 0.3 * (lo[i] + hi[i]);
    }
  }
  qp::Problem problem() const { return {n, q.data(), lo.data(), hi.data(), equality, group.empty() ? nullptr : group.data()}; }
  handmade::Measure measured(const std::vector<double>& beta) const {
    return handmade::measure(problem(), [this](Index i, Index j) { return entry(i, j); }, beta);
  }
  double entry(Index i, Index j) const {
    if (stored.empty()) {
      stored.resize(n);
      for (Index t = 0; t < n * d; ++t) {
        if (x[t] != 0.0) stored[t / d].push_back(t % d);
      }
    }
    double sum = 0;
    for (const Index k : stored[i]) sum += x[i * d + k] * x[j * d + k];
    return sum;
  }
  mutable std::vector<std::vector<Index>> stored;  // columns of each row
};

struct DescentOutcome {
  qp::Result result;
  std::vector<double> beta;
  std::int64_t n_values = 0;
};

template <class T>
DescentOutcome run(const LinearProblem& p, bool through_weights, int threads = 1, double tol = 1e-3, std::int64_t max_iter = -1,
                   const std::vector<double>* start = nullptr) {
  Call call(threads);
  KernelParams kernel;
  kernel.type = KernelType::linear;
  const DataView view = dense(p.x.data(), p.n, p.d);
  const auto rows = through_weights ? kernel_matrix::make_summable_rows<T>(view, kernel, std::size_t{1} << 20, call.pool)
                                    : kernel_matrix::make_kernel_rows<T>(view, kernel, call.pool);
  CHECK(static_cast<bool>(rows->linear_rows()) == through_weights);
  DescentOutcome out;
  out.beta = start != nullptr ? *start : p.start;
  out.result = qp::solve<T>(*rows, p.problem(), {tol, max_iter, true}, out.beta.data(), nullptr, call.context);
  out.n_values = rows->n_values();
  return out;
}

double sum_of_group(const LinearProblem& p, const std::vector<double>& beta, int group) {
  double sum = 0;
  for (Index i = 0; i < p.n; ++i) sum += p.group.empty() || p.group[i] == group ? beta[i] : 0.0;
  return sum;
}

void check_solved(const LinearProblem& p, const DescentOutcome& o, double tol) {
  const auto m = p.measured(o.beta);
  CHECK(o.result.stop_reason == StopReason::converged);
  CHECK(m.feasible);
  CHECK(m.violation < tol);
  CHECK(std::abs(o.result.violation - m.violation) < 1e-9);
  CHECK(o.result.objective == doctest::Approx(m.objective).epsilon(1e-10));
  for (int c = 0; c < 2 && p.equality; ++c)
    CHECK(std::abs(sum_of_group(p, o.beta, c) - sum_of_group(p, p.start, c)) < 1e-12 * static_cast<double>(p.n));
}

}  // namespace

TEST_CASE_TEMPLATE("a linear kernel through weights: the solution that kernel rows give", T, float, double) {
  struct Case {
    Index n, d;
    double C, density;
  };
  for (const Case c : {Case{600, 5, 1.0, 1.0}, Case{700, 900, 1.0, 0.02}, Case{600, 40, 30.0, 0.6}, Case{2500, 3, 0.1, 1.0}}) {
    for (const int kind : {0, 1, 2}) {
      LinearProblem p(c.n, c.d, c.C, c.density, 3);
      p.equality = kind != 1;
      if (kind == 2) p.make_groups();
      CAPTURE(c.n);
      CAPTURE(c.d);
      CAPTURE(kind);
      const auto ours = run<T>(p, true), twin = run<T>(p, false);
      check_solved(p, ours, 1e-3);
      CHECK(ours.result.objective == doctest::Approx(twin.result.objective).epsilon(1e-4));
    }
  }
}

TEST_CASE("the descent alone: a feasible point that is solved, whatever the groups and the start") {
  for (const int kind : {0, 1, 2}) {
    LinearProblem p(700, 900, 1.0, 0.03, 11);
    p.equality = kind != 1;
    if (kind == 2) p.make_groups();
    CAPTURE(kind);
    Call call;
    const DataView view = dense(p.x.data(), p.n, p.d);
    const kernel_matrix::LinearRows rows(std::make_shared<const products::Matrix>(view, -1.0, std::size_t{1} << 20, call.pool));
    std::vector<double> diagonal, beta = p.start;
    for (Index i = 0; i < p.n; ++i) diagonal.push_back(p.entry(i, i));
    qp::Result result;
    qp::descend(rows, diagonal, p.problem(), {1e-3, -1, true}, beta.data(), call.context, {}, result);
    const auto m = p.measured(beta);
    CHECK(m.feasible);
    CHECK(m.violation < 1e-3);
    CHECK(result.n_iter > 0);
    for (int c = 0; c < 2 && p.equality; ++c) CHECK(std::abs(sum_of_group(p, beta, c) - sum_of_group(p, p.start, c)) < 1e-10);
  }
}

TEST_CASE("the same bits for any number of threads, and no kernel rows where the descent converges") {
  const LinearProblem p(2600, 2400, 1.0, 0.01, 5);
  const auto one = run<float>(p, true, 1), three = run<float>(p, true, 3);
  CHECK(one.beta == three.beta);
  CHECK(one.result.n_iter == three.result.n_iter);
  CHECK(one.n_values == 0);
  check_solved(p, one, 1e-3);
  const auto twin = run<float>(p, false);
  CHECK(twin.n_values > 2600 * 100);
  CHECK(one.result.objective == doctest::Approx(twin.result.objective).epsilon(1e-5));
  CHECK(run<float>(p, true, 1, 1e-3, -1, &one.beta).result.n_iter == 0);
  const auto some = run<float>(p, true, 1, 1e-3, 4000);
  CHECK(some.result.stop_reason == StopReason::max_iter);
  const auto m = p.measured(some.beta);
  CHECK(m.feasible);
  CHECK(std::abs(m.sum) < 1e-10);
}

TEST_CASE("a solution is a start that needs no step, and limits leave a feasible point") {
  for (const bool groups : {false, true}) {
    LinearProblem p(900, 30, 1.0, 0.5, 7);
    if (groups) p.make_groups();
    const auto solved = run<double>(p, true);
    CHECK(run<double>(p, true, 1, 1e-3, -1, &solved.beta).result.n_iter == 0);
    for (const std::int64_t limit : {0, 1, 50}) {
      const auto some = run<double>(p, true, 1, 1e-9, limit);
      const auto m = p.measured(some.beta);
      CHECK(some.result.stop_reason == StopReason::max_iter);
      CHECK(m.feasible);
      CHECK(std::abs(some.result.violation - m.violation) < 1e-9);
      for (int c = 0; c < 2; ++c) CHECK(std::abs(sum_of_group(p, some.beta, c) - sum_of_group(p, p.start, c)) < 1e-10);
    }
  }
}

TEST_CASE("a copy of X that is too large is not made") {
  base::ThreadPool pool(1);
  KernelParams kernel;
  kernel.type = KernelType::linear;
  const LinearProblem p(300, 20, 1.0, 1.0, 9);
  const DenseView transposed{p.x.data(), ScalarType::float64, 20, 300, 1, 20};
  CHECK_FALSE(kernel_matrix::make_summable_rows<double>(transposed, kernel, 1000, pool)->linear_rows());
  CHECK(kernel_matrix::make_summable_rows<double>(transposed, kernel, 100000, pool)->linear_rows());
  kernel.type = KernelType::rbf;
  CHECK_FALSE(kernel_matrix::make_summable_rows<double>(transposed, kernel, 100000, pool)->linear_rows());
}

TEST_CASE("reports of a linear kernel count the variables that are not 0") {
  LinearProblem p(2100, 2100, 1.0, 0.01, 3);  // enough rows and features for a descent
  p.equality = false;  // else a cancelled descent still restores the sum
  KernelParams kernel;
  kernel.type = KernelType::linear;
  for (const int when : {1, 2, 4}) {
    Hooks hooks;
    int calls = 0;
    Index last = 0;
    hooks.progress_interval = 0;
    hooks.progress = [&](const Progress& now) {
      last = now.n_support;
      return ++calls == when;
    };
    base::Monitor monitor(hooks);
    Call call(1);
    call.context.monitor = &monitor;
    const auto rows =
        kernel_matrix::make_summable_rows<double>(dense(p.x.data(), p.n, p.d), kernel, std::size_t{1} << 20, call.pool);
    auto beta = p.start;
    const auto result = qp::solve<double>(*rows, p.problem(), {1e-9, -1, true}, beta.data(), nullptr, call.context);
    CHECK(result.stop_reason == StopReason::cancelled);
    CHECK(last > 0);
    CHECK(last == p.n - std::count(beta.begin(), beta.end(), 0.0));
  }
}
