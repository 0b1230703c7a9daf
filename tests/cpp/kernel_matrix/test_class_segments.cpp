// Pairs that share rows see the same kernel values as pairs that do not, bit for bit, and compute fewer.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/class_segments.hpp"
#include "kernel_matrix/kernel_rows.hpp"

using namespace dcsvm;

namespace {

constexpr Index kPerClass = 2500, kFeatures = 5;

struct Fixture {
  std::vector<float> x;
  std::vector<std::vector<Index>> members{3};
  base::ThreadPool pool{2};
  std::unique_ptr<kernel_matrix::RowSource<float>> base;

  Fixture() : x(static_cast<std::size_t>(3 * kPerClass * kFeatures)) {
    base::Random random(5);
    for (auto& v : x) v = static_cast<float>(random.uniform());
    for (Index i = 0; i < 3 * kPerClass; ++i) members[i % 3].push_back(i);
    KernelParams kernel;
    kernel.gamma = 3.0;
    base = kernel_matrix::make_kernel_rows<float>(dense(x.data(), 3 * kPerClass, kFeatures), kernel, pool);
  }
  std::vector<Index> pair_points(int a, int b) const {
    std::vector<Index> idx = members[a];
    idx.insert(idx.end(), members[b].begin(), members[b].end());
    return idx;
  }
  // Rows `rows` over columns `columns` (positions in the pair), from the store and without it.
  void compare(kernel_matrix::ClassSegments<float>& store, int a, int b, const std::vector<Index>& rows,
               const std::vector<Index>& columns) {
    const auto shared = store.pair(a, b);
    const auto plain = kernel_matrix::make_subset(*base, pair_points(a, b));
    const auto n = static_cast<Index>(columns.size()), m = static_cast<Index>(rows.size());
    std::vector<float> got(n * m), wanted(got.size());
    shared->columns(columns.data(), n, 1 << 26, pool)->block(rows.data(), m, got.data(), n, pool);
    plain->columns(columns.data(), n, 1 << 26, pool)->block(rows.data(), m, wanted.data(), n, pool);
    CHECK(got == wanted);
  }
};

std::vector<Index> every(Index n, Index step) {
  std::vector<Index> list;
  for (Index i = 0; i < n; i += step) list.push_back(i);
  return list;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "shared rows equal rows of the pair alone") {
  kernel_matrix::ClassSegments<float> store(*base, members, std::size_t{1} << 28);
  const auto rows = every(2 * kPerClass, 97), all = every(2 * kPerClass, 1);
  compare(store, 0, 1, rows, all);
  compare(store, 0, 1, rows, all);  // now from the store
  compare(store, 0, 2, rows, all);  // class 0's half from the store
  auto shrunk = all;
  shrunk.erase(std::remove_if(shrunk.begin(), shrunk.end(), [](Index i) { return i % 11 == 3; }), shrunk.end());
  compare(store, 1, 2, rows, shrunk);
  compare(store, 0, 2, every(2 * kPerClass, 31), shrunk);
  store.drop(0);
  compare(store, 0, 1, rows, all);
}

TEST_CASE_FIXTURE(Fixture, "a segment is computed once") {
  kernel_matrix::ClassSegments<float> store(*base, members, std::size_t{1} << 28);
  const auto all = every(2 * kPerClass, 1), rows = every(kPerClass, 50);  // rows of the pair's first class
  const auto ask = [&](int b) {
    const std::int64_t before = base->n_values();
    std::vector<float> out(rows.size() * all.size());
    store.pair(0, b)
        ->columns(all.data(), 2 * kPerClass, 1 << 26, pool)
        ->block(rows.data(), static_cast<Index>(rows.size()), out.data(), 2 * kPerClass, pool);
    return base->n_values() - before;
  };
  const auto first = ask(1), second = ask(2);
  CHECK(10 * second < 6 * first);
  CHECK(store.peak_bytes() == rows.size() * static_cast<std::size_t>(kPerClass) * sizeof(float));
}

TEST_CASE_FIXTURE(Fixture, "the store keeps to its budget") {
  constexpr std::size_t kSegment = static_cast<std::size_t>(kPerClass) * sizeof(float);
  kernel_matrix::ClassSegments<float> store(*base, members, 10 * kSegment);
  compare(store, 0, 1, every(2 * kPerClass, 100), every(2 * kPerClass, 1));
  CHECK(store.peak_bytes() == 10 * kSegment);
  compare(store, 0, 2, every(2 * kPerClass, 100), every(2 * kPerClass, 1));
}

// A panel of bytes is wider than one of doubles, and a class begins in the middle of one.
TEST_CASE("pairs in double whose values are formed from bytes") {
  constexpr Index kClass = 2501;
  std::vector<float> x(2 * kClass * kFeatures);
  base::Random random(6);
  for (auto& v : x) v = static_cast<float>(random.below(5)) / 8.0F;
  std::vector<std::vector<Index>> members(2);
  for (Index i = 0; i < 2 * kClass; ++i) members[i / kClass].push_back(i);
  KernelParams kernel;
  kernel.gamma = 1.0;
  base::ThreadPool pool(2);
  const auto base = kernel_matrix::make_kernel_rows<double>(dense(x.data(), 2 * kClass, kFeatures), kernel, pool);
  kernel_matrix::ClassSegments<double> store(*base, members, std::size_t{1} << 26);
  const auto all = every(2 * kClass, 1), rows = every(2 * kClass, 311);
  const auto m = static_cast<Index>(rows.size());
  std::vector<double> wanted(m * 2 * kClass);
  base->columns(all.data(), 2 * kClass, 1 << 26, pool)->block(rows.data(), m, wanted.data(), 2 * kClass, pool);
  for (const Index first : {0, 1, 8, 16, 40}) {
    for (const std::size_t budget : {std::size_t{1} << 26, std::size_t{0}}) {
      const auto columns = std::vector<Index>(all.begin() + first, all.end());
      const auto n = static_cast<Index>(columns.size());
      std::vector<double> got(m * n);
      store.pair(0, 1)->columns(columns.data(), n, budget, pool)->block(rows.data(), m, got.data(), n, pool);
      Index wrong = 0;
      for (Index r = 0; r < m; ++r) {
        for (Index j = 0; j < n; ++j) wrong += got[r * n + j] != wanted[r * 2 * kClass + first + j];
      }
      CHECK(wrong == 0);
    }
  }
}

// Columns of one class alone are the base's, regions included: what their products leave out must be owned up to.
TEST_CASE("a pair tells what the base's regions leave out") {
  constexpr Index kClass = 4500;
  std::vector<float> x(2 * kClass * 2);
  base::Random random(9);
  for (auto& v : x) v = static_cast<float>(random.uniform());
  std::sort(x.begin(), x.end());  // along the diagonal: regions are small
  std::vector<std::vector<Index>> members(2);
  for (Index i = 0; i < 2 * kClass; ++i) members[i % 2].push_back(i);
  KernelParams kernel;
  kernel.gamma = 500.0;
  base::ThreadPool pool(2);
  const auto base = kernel_matrix::make_kernel_rows<float>(dense(x.data(), 2 * kClass, 2), kernel, pool, 1e-3);
  kernel_matrix::ClassSegments<float> store(*base, members, std::size_t{1} << 20);
  const auto pair = store.pair(0, 1);
  const auto columns_idx = every(kClass, 1), rows = every(2 * kClass, 9);
  const auto m = static_cast<Index>(rows.size());
  const auto columns = pair->columns(columns_idx.data(), kClass, std::size_t{1} << 26, pool);
  REQUIRE(columns->region_size() > 0);
  std::vector<double> sums(kClass, 0.0), ones(rows.size(), 1.0);
  columns->multiply(rows.data(), ones.data(), m, sums.data(), pool);
  std::vector<float> k(m * kClass);
  columns->block(rows.data(), m, k.data(), kClass, pool);
  double worst = 0;
  for (Index j = 0; j < kClass; ++j) {
    double sum = 0;
    for (Index r = 0; r < m; ++r) sum += static_cast<double>(k[r * kClass + j]);
    worst = std::max(worst, std::abs(sum - sums[j]));
  }
  CHECK(worst > 1e-4);  // something was left out
  CHECK(worst <= pair->negligible() * static_cast<double>(m) + 1e-4);
}
