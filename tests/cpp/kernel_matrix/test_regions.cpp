// Columns in regions: nothing that counts is left out, and what is computed has the bits that it has without regions.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "data/spatial_order.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/regions.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using base::ThreadPool;
using namespace twin;

namespace {

constexpr std::size_t kAmpleBytes = std::size_t{1} << 30;
constexpr Index kRows = 5000;  // regions are offered from 4096 columns on

// Clusters of several widths, a few points far out, duplicates.
Matrix clustered(Index n, Index d, double offset, double zeros) {
  base::Random random(7);
  const Matrix centres = twin::random_matrix(30, d, 8, 0.0, 0.0);
  Matrix x = twin::random_matrix(n, d, 9, zeros, 0.0);
  for (Index i = 0; i < n; ++i) {
    const Index c = random.below(30);
    const double spread = i % 500 == 0 ? 20.0 : 0.02 * static_cast<double>(1 + c % 10);
    for (Index k = 0; k < d; ++k) {
      const double v = x[i][k];
      if (v != 0.0) x[i][k] = static_cast<double>(static_cast<float>(offset + 2 * centres[c][k] + spread * v));
    }
    if (i % 97 == 1) x[i] = x[i - 1];
  }
  return x;
}

struct Case {
  Matrix x;
  Stored stored;
  std::vector<Index> order;
  KernelParams kernel{KernelType::rbf, 3, 2.0, 0};
  Case(Index d, double offset, Layout layout = Layout::c, double zeros = 0.0)
      : x(clustered(kRows, d, offset, zeros)), stored(x, d, layout, ScalarType::float64) {
    ThreadPool pool(2);
    order = data::spatial_order(stored.view(), 48, pool);
  }
  double truth(Index i, Index j) const { return twin::kernel(kernel, x[i], x[j]); }
};

std::vector<Index> sample(Index n, Index count, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<Index> idx;
  for (Index i = 0; i < count; ++i) idx.push_back(random.below(n));
  return idx;
}

// Values are formed around other centres in regions than in plain rows: they agree to rounding.
template <class T>
bool close(T a, T b) {
  return std::abs(a - b) <= (std::is_same_v<T, float> ? T(2e-5) : T(1e-10));
}
template <class T>
bool close(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T u, T v) { return close(u, v); });
}

// Every value of `rows` against `columns` that near() leaves out, in the source's own order and truly; the others agree.
template <class T>
double check_near(const Case& c, const kernel_matrix::RowSource<T>& source, const std::vector<Index>& columns,
                  const std::vector<Index>& rows, const std::vector<T>& whole) {
  ThreadPool pool(2);
  const auto n = static_cast<Index>(columns.size()), m = static_cast<Index>(rows.size());
  const auto by_region = source.columns(columns.data(), n, kAmpleBytes, pool);
  const Index region = by_region->region_size();
  REQUIRE(region > 0);
  REQUIRE(by_region->grain() % region == 0);
  const auto prepared = by_region->prepare(rows.data(), m, pool);
  std::vector<std::int32_t> which(m);
  Index computed = 0;
  double largest_out = 0;
  bool same = true, ascending = true;
  for (Index from = 0; from < n; from += region) {
    const Index to = std::min(n, from + region), count = prepared->near(from, which.data());
    REQUIRE(count <= m);
    ascending = ascending && std::is_sorted(which.begin(), which.begin() + count);
    std::vector<T> values(count * region);
    std::vector<T*> out;
    for (Index t = 0; t < count; ++t) out.push_back(values.data() + t * region);
    prepared->compute_some(from, to, which.data(), count, out.data());
    computed += count * (to - from);
    std::vector<char> in(m, 0);
    for (Index t = 0; t < count; ++t) {
      in[which[t]] = 1;
      for (Index j = from; j < to; ++j) {  // plain rows lose digits for points far out
        const T value = out[t][j - from];
        const double truth = c.truth(rows[which[t]], columns[j]);
        same = same && (close(value, whole[which[t] * n + j]) || close(value, static_cast<T>(truth)));
      }
    }
    for (Index r = 0; r < m; ++r) {
      for (Index j = from; j < to && in[r] == 0; ++j) {
        largest_out = std::max(largest_out, c.truth(rows[r], columns[j]));
        largest_out = std::max(largest_out, static_cast<double>(whole[r * n + j]));
      }
    }
  }
  CHECK(ascending);
  CHECK(same);
  CHECK(largest_out <= source.negligible());
  return static_cast<double>(computed) / static_cast<double>(n * m);
}

template <class T>
std::vector<T> kernel_block(const kernel_matrix::RowSource<T>& source, const std::vector<Index>& columns,
                            const std::vector<Index>& rows, std::size_t budget = kAmpleBytes) {
  ThreadPool pool(2);
  const auto n = static_cast<Index>(columns.size()), m = static_cast<Index>(rows.size());
  std::vector<T> k(n * m);
  source.columns(columns.data(), n, budget, pool)->block(rows.data(), m, k.data(), n, pool);
  return k;
}

}  // namespace

TEST_CASE_TEMPLATE("no value above negligible() is left out; computed values are those of plain rows", T, float, double) {
  for (const double offset : {0.0, 50.0}) {
    for (const Index d : {2, 13}) {
      Case c(d, offset);
      c.kernel.gamma = d == 2 ? 100.0 : 2.0;
      ThreadPool pool(2);
      const auto plain = kernel_matrix::make_kernel_rows<T>(c.stored.view(), c.kernel, pool);
      CHECK(plain->negligible() == 0.0);
      const auto rows = sample(kRows, 130, 1);
      const auto whole = kernel_block(*plain, c.order, rows);
      for (const double negligible : {1e-12, 1e-5, 0.1}) {
        CAPTURE(d);
        CAPTURE(negligible);
        const auto source = kernel_matrix::make_kernel_rows<T>(c.stored.view(), c.kernel, pool, negligible);
        CHECK(source->negligible() == negligible);
        CHECK(close(kernel_block(*source, c.order, rows), whole));
        const double share = check_near(c, *source, c.order, rows, whole);
        CHECK(share < 0.4);  // regions do save
        // A useless order is slow, not wrong.
        const auto shuffled = sample(kRows, 4500, 2);
        check_near(c, *source, shuffled, rows, kernel_block(*plain, shuffled, rows));
      }
    }
  }
}

TEST_CASE_TEMPLATE("a subset and dense CSR data have regions too; few columns, sparse data and other kernels have none", T, float,
                   double) {
  const Case c(6, 0.0, Layout::csr, 0.3);
  ThreadPool pool(2);
  const auto plain = kernel_matrix::make_kernel_rows<T>(c.stored.view(), c.kernel, pool);
  const auto source = kernel_matrix::make_kernel_rows<T>(c.stored.view(), c.kernel, pool, 1e-6);
  const auto rows = sample(kRows, 40, 3);
  check_near(c, *source, c.order, rows, kernel_block(*plain, c.order, rows));

  const auto subset = kernel_matrix::make_subset<T>(*source, c.order);
  CHECK(subset->negligible() == 1e-6);
  std::vector<Index> all(kRows);
  std::iota(all.begin(), all.end(), Index{0});
  const auto columns = subset->columns(all.data(), kRows, kAmpleBytes, pool);
  REQUIRE(columns->region_size() > 0);
  std::vector<Index> mapped;
  for (const Index r : rows) mapped.push_back(c.order[r]);
  const auto mine = columns->prepare(rows.data(), 40, pool);
  const auto base_columns = source->columns(c.order.data(), kRows, kAmpleBytes, pool);
  const auto theirs = base_columns->prepare(mapped.data(), 40, pool);
  for (Index from = 0; from < kRows; from += columns->region_size()) {
    std::vector<std::int32_t> a(40, -1), b(40, -1);
    CHECK(mine->near(from, a.data()) == theirs->near(from, b.data()));
    CHECK(a == b);
  }
  CHECK(source->columns(c.order.data(), 4000, kAmpleBytes, pool)->region_size() == 0);
  KernelParams linear;
  linear.type = KernelType::linear;
  const auto other = kernel_matrix::make_kernel_rows<T>(c.stored.view(), linear, pool, 1e-6);
  CHECK(other->negligible() == 0.0);
  CHECK(other->columns(c.order.data(), kRows, kAmpleBytes, pool)->region_size() == 0);
  const Matrix sparse = twin::random_matrix(kRows, 20, 5, 0.9);
  const Stored stored(sparse, 20, Layout::csr, ScalarType::float64);
  KernelParams wide = c.kernel;
  wide.gamma = 0.5;
  const auto scattered = kernel_matrix::make_kernel_rows<T>(stored.view(), wide, pool, 1e-6);
  CHECK(scattered->negligible() == 0.0);
  CHECK(scattered->columns(c.order.data(), kRows, kAmpleBytes, pool)->region_size() == 0);
}

TEST_CASE_TEMPLATE("multiply by regions is within negligible x sum |coef| of the whole product, for any number of threads", T,
                   float, double) {
  const Case c(9, 0.0);
  ThreadPool pool(1);
  const auto rows = sample(kRows, 700, 4);
  base::Random random(5);
  std::vector<double> coef;
  double sum = 0;
  for (Index r = 0; r < 700; ++r) coef.push_back(r % 10 == 0 ? 0.0 : 20 * random.uniform() - 10), sum += std::abs(coef.back());
  std::vector<double> truth(kRows, 0.25);
  for (Index j = 0; j < kRows; ++j) {
    for (Index r = 0; r < 700; ++r) truth[j] += coef[r] * c.truth(rows[r], c.order[j]);
  }
  const double rounding = sum * (std::is_same_v<T, float> ? 5e-6 : 1e-13);
  for (const double negligible : {1e-9, 1e-3}) {
    const auto source = kernel_matrix::make_kernel_rows<T>(c.stored.view(), c.kernel, pool, negligible);
    std::vector<double> first;
    for (const int threads : {1, 2, 5}) {
      ThreadPool several(threads);
      const auto before = source->n_values();
      std::vector<double> out(kRows, 0.25);
      source->columns(c.order.data(), kRows, kAmpleBytes, several)->multiply(rows.data(), coef.data(), 700, out.data(), several);
      CHECK(source->n_values() - before < 700 * kRows / 2);
      double worst = 0;
      for (Index j = 0; j < kRows; ++j) worst = std::max(worst, std::abs(out[j] - truth[j]));
      CHECK(worst <= negligible * sum + rounding);
      if (first.empty()) first = out;
      CHECK(out == first);
    }
  }
}

TEST_CASE_TEMPLATE("a budget that does not hold regions: no regions, all values", T, float, double) {
  const Case c(9, 0.0);
  ThreadPool pool(2);
  const auto source = kernel_matrix::make_kernel_rows<T>(c.stored.view(), c.kernel, pool, 1e-6);
  const auto rows = sample(kRows, 20, 6);
  const auto whole = kernel_block(*source, c.order, rows);
  bool with = false, without = false;
  for (std::size_t budget = 1000; budget < (std::size_t{4} << 20); budget = budget * 5 / 4) {
    const auto columns = source->columns(c.order.data(), kRows, budget, pool);
    CHECK((columns->bytes() <= budget || columns->region_size() == 0));
    (columns->region_size() > 0 ? with : without) = true;
    CHECK((!with || columns->region_size() > 0));  // more is never less
    if (columns->region_size() > 0) continue;
    const auto before = source->n_values();
    CHECK(close(kernel_block(*source, c.order, rows, budget), whole));
    CHECK(source->n_values() - before == 20 * kRows);
  }
  CHECK(with);
  CHECK(without);
}
