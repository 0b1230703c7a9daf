// Kept rows are the base's bit for bit, in any order of columns, with and without room, and are computed once.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kept_rows.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "qp/rbf_problem.hpp"

using namespace dcsvm;

namespace {

constexpr Index kPoints = 700, kKeptFeatures = 9;

struct KeptFixture {
  std::vector<float> x;
  base::ThreadPool pool{2};
  std::unique_ptr<kernel_matrix::RowSource<float>> base;
  std::vector<Index> order;

  KeptFixture() : x(static_cast<std::size_t>(kPoints * kKeptFeatures)), order(static_cast<std::size_t>(kPoints)) {
    base::Random random(5);
    for (auto& v : x) v = static_cast<float>(random.uniform());
    KernelParams kernel;
    kernel.gamma = 3.0;
    base = kernel_matrix::make_kernel_rows<float>(dense(x.data(), kPoints, kKeptFeatures), kernel, pool);
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [](Index a, Index b) { return a % 5 < b % 5; });
  }
  std::vector<float> block(const kernel_matrix::RowSource<float>& from, const std::vector<Index>& rows,
                           const std::vector<Index>& columns) {
    base::ThreadPool own(1);
    std::vector<float> out(rows.size() * columns.size());
    from.columns(columns.data(), static_cast<Index>(columns.size()), 1 << 24, own)
        ->block(rows.data(), static_cast<Index>(rows.size()), out.data(), static_cast<Index>(columns.size()), own);
    return out;
  }
};

std::vector<Index> pick(Index n, Index first, Index step) {
  std::vector<Index> out;
  for (Index i = first; i < n; i += step) out.push_back(i);
  return out;
}

}  // namespace

TEST_CASE("kept rows: the same values, long runs or scattered; where they do not all fit there are none") {
  KeptFixture f;
  const std::vector<Index> fold = pick(kPoints, 2, 5), scattered = {3, 699, 0, 350, 4, 5};
  std::vector<Index> others;
  for (const Index i : f.order) {
    if (i % 5 != 2) others.push_back(i);
  }
  const std::size_t row = kPoints * sizeof(float);
  for (const std::size_t bytes : {row * 720, row * 40, std::size_t{0}}) {
    CHECK(kernel_matrix::make_kept_rows(*f.base, f.order, bytes, f.pool) == nullptr);
  }
  for (const std::size_t bytes : {row * 760, row * 2000}) {
    const auto kept = kernel_matrix::make_kept_rows(*f.base, f.order, bytes, f.pool);
    REQUIRE(kept);
    CHECK(kept->size() == kPoints);
    CHECK(kept->diagonal(17) == f.base->diagonal(17));
    for (const auto& columns : {fold, others, scattered, f.order}) {
      const auto rows = pick(kPoints, 1, 7);
      CHECK(f.block(*kept, rows, columns) == f.block(*f.base, rows, columns));
      const auto sums = [&](const kernel_matrix::RowSource<float>& from) {
        std::vector<double> coef(rows.size()), out(columns.size(), 0.25);
        for (std::size_t r = 0; r < coef.size(); ++r) coef[r] = std::sin(static_cast<double>(r));
        from.columns(columns.data(), static_cast<Index>(columns.size()), 1 << 24, f.pool)
            ->multiply(rows.data(), coef.data(), static_cast<Index>(rows.size()), out.data(), f.pool);
        return out;
      };
      const auto got = sums(*kept), wanted = sums(*f.base);
      double worst = 0;
      for (std::size_t j = 0; j < got.size(); ++j) worst = std::max(worst, std::abs(got[j] - wanted[j]));
      CHECK(worst < 1e-5);
    }
  }
}

TEST_CASE("kept rows: sums that are read in place, columns in any order, with gaps") {
  KeptFixture f;
  const auto kept = kernel_matrix::make_kept_rows(*f.base, f.order, std::size_t{1} << 24, f.pool);
  std::vector<Index> gaps, backwards(f.order.rbegin(), f.order.rend()), mixed;
  for (std::size_t p = 0; p < f.order.size(); ++p) {
    if (p % 9 != 4 && (p < 300 || p > 340)) gaps.push_back(f.order[p]);
  }
  for (std::size_t p = 0; p < gaps.size(); ++p) mixed.push_back(gaps[p * 11 % gaps.size()]);
  const auto rows = pick(kPoints, 1, 7);
  const auto m = static_cast<Index>(rows.size());
  std::vector<double> coef(rows.size());
  for (std::size_t r = 0; r < coef.size(); ++r) coef[r] = std::sin(static_cast<double>(r));
  REQUIRE(gaps.size() % 11 != 0);
  for (const auto& columns : {gaps, backwards, mixed, f.order}) {
    const auto n = static_cast<Index>(columns.size());
    std::vector<double> got(columns.size(), 0.25);
    kept->columns(columns.data(), n, 1 << 24, f.pool)->multiply(rows.data(), coef.data(), m, got.data(), f.pool);
    const auto values = f.block(*f.base, rows, columns);
    for (Index j = 0; j < n; ++j) {
      double wanted = 0.25;
      for (Index r = 0; r < m; ++r) wanted += coef[r] * static_cast<double>(values[r * n + j]);
      CHECK(got[j] == doctest::Approx(wanted).epsilon(1e-12));
    }
  }
}

TEST_CASE("kept rows in double: those that are expected over most points are computed once") {
  KeptFixture f;
  const auto exact = f.base->in_double(f.pool);
  const auto rows = pick(kPoints, 0, 20), many = pick(kPoints, 0, 1), few = pick(kPoints, 1, 3);
  const auto m = static_cast<Index>(rows.size());
  const auto block = [&](const kernel_matrix::RowSource<double>& from, const std::vector<Index>& columns) {
    const auto n = static_cast<Index>(columns.size());
    std::vector<double> out(rows.size() * columns.size());
    const auto held = from.columns(columns.data(), n, 1 << 24, f.pool);
    held->expect(rows.data(), m, f.pool);
    held->block(rows.data(), m, out.data(), n, f.pool);
    return out;
  };
  for (const std::size_t room : {std::size_t{1} << 24, kPoints * sizeof(double) * 50, std::size_t{0}}) {
    const auto source = kernel_matrix::make_kept_in_double(*f.base, room);
    CHECK(source->diagonal(3) == f.base->diagonal(3));
    CHECK(source->work_per_value() == f.base->work_per_value());
    const auto twin = source->in_double(f.pool);
    CHECK(twin.get() == source->in_double(f.pool).get());
    const auto values = [&](const std::vector<Index>& columns) {
      const std::int64_t before = f.base->n_values();
      const auto got = block(*twin, columns), wanted = block(*exact, columns);
      double worst = 0;
      for (std::size_t k = 0; k < got.size(); ++k) worst = std::max(worst, std::abs(got[k] - wanted[k]));
      CHECK(worst < 1e-14);
      return f.base->n_values() - before - static_cast<std::int64_t>(wanted.size());  // those of `exact` count too
    };
    CHECK(values(few) == m * static_cast<std::int64_t>(few.size()));
    CHECK(values(many) == m * kPoints);
    if (room == std::size_t{1} << 24) {
      CHECK(values(many) == 0);
      CHECK(values(few) == 0);
    }
  }
}

TEST_CASE("kept rows: each is computed once, also when threads ask together") {
  KeptFixture f;
  const auto kept = kernel_matrix::make_kept_rows(*f.base, f.order, std::size_t{1} << 24, f.pool);
  const auto rows = pick(kPoints, 0, 2), columns = pick(kPoints, 1, 3);
  const std::int64_t before = f.base->n_values();
  std::vector<std::vector<float>> got(4);
  std::vector<std::thread> threads;
  threads.reserve(got.size());
  for (auto& g : got) threads.emplace_back([&] { g = f.block(*kept, rows, columns); });
  for (auto& t : threads) t.join();
  CHECK(kept->n_values() - before == static_cast<std::int64_t>(rows.size()) * kPoints);
  for (const auto& g : got) CHECK(g == f.block(*f.base, rows, columns));
}

TEST_CASE("kept rows: a solve that reads them in place ends where one that computes them does") {
  const handmade::RbfProblem problem(2600, 3, 60.0, 1.0, 4, 0.3);  // most are support vectors: too many for one tile
  const auto base = problem.rows<float>();
  base::ThreadPool pool(1);
  const auto kept = kernel_matrix::make_kept_rows(*base, pick(problem.n, 0, 1), std::size_t{1} << 26, pool);
  CHECK(kept->work_per_value() <= kernel_matrix::kReadWork);
  base::Context context;
  context.pool = &pool;
  context.cap_bytes = std::size_t{1} << 26;
  qp::Options options;
  options.tol = 1e-4;
  std::vector<double> beta(problem.n, 0.0), wanted(beta);
  const auto found = qp::solve(*kept, problem.problem(), options, beta.data(), nullptr, context);
  const auto plain = qp::solve(*base, problem.problem(), options, wanted.data(), nullptr, context);
  CHECK(found.stop_reason == StopReason::converged);
  CHECK(found.n_support > 2048);
  CHECK(problem.measured(beta).violation < 2e-4);
  CHECK(found.objective == doctest::Approx(plain.objective).epsilon(1e-6));
}
