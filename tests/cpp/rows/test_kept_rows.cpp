// Kept rows are the base's bit for bit, in any order of columns, with and without room, and are computed once.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "rows/kept_rows.hpp"
#include "rows/kernel_rows.hpp"

using namespace dcsvm;

namespace {

constexpr Index kPoints = 700, kFeatures = 9;

struct Fixture {
  std::vector<float> x;
  base::ThreadPool pool{2};
  std::unique_ptr<rows::RowSource<float>> base;
  std::vector<Index> order;

  Fixture() : x(static_cast<std::size_t>(kPoints * kFeatures)), order(static_cast<std::size_t>(kPoints)) {
    base::Random random(5);
    for (auto& v : x) v = static_cast<float>(random.uniform());
    KernelParams kernel;
    kernel.gamma = 3.0;
    base = rows::make_kernel_rows<float>(dense(x.data(), kPoints, kFeatures), kernel, pool);
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [](Index a, Index b) { return a % 5 < b % 5; });
  }
  std::vector<float> block(const rows::RowSource<float>& from, const std::vector<Index>& rows,
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

TEST_CASE("kept rows: the same values, long runs or scattered, all kept or few") {
  Fixture f;
  const std::vector<Index> fold = pick(kPoints, 2, 5), scattered = {3, 699, 0, 350, 4, 5};
  std::vector<Index> others;
  for (const Index i : f.order) {
    if (i % 5 != 2) others.push_back(i);
  }
  const std::size_t row = kPoints * sizeof(float);
  for (const std::size_t bytes : {row * 2000, row * 40, std::size_t{0}}) {
    const auto kept = rows::make_kept_rows(*f.base, f.order, bytes, f.pool);
    CHECK(kept->size() == kPoints);
    CHECK(kept->diagonal(17) == f.base->diagonal(17));
    for (const auto& columns : {fold, others, scattered, f.order}) {
      const auto rows = pick(kPoints, 1, 7);
      CHECK(f.block(*kept, rows, columns) == f.block(*f.base, rows, columns));
      const auto sums = [&](const rows::RowSource<float>& from) {
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

TEST_CASE("kept rows: each is computed once, also when threads ask together") {
  Fixture f;
  const auto kept = rows::make_kept_rows(*f.base, f.order, std::size_t{1} << 24, f.pool);
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
