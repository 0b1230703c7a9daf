// Every point twice: the values of the base, each computed once.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using base::ThreadPool;

namespace {

// The doubled source against the base, value by value, for some rows and columns; budget small: columns are packed by piece.
template <class T>
void check_block(const kernel_matrix::RowSource<T>& base, const std::vector<Index>& rows, const std::vector<Index>& columns,
                 std::size_t budget, int threads) {
  ThreadPool pool(threads);
  const auto doubled = kernel_matrix::make_doubled(base);
  CHECK(doubled->size() == 2 * base.size());
  const auto n = static_cast<Index>(columns.size()), m = static_cast<Index>(rows.size());
  std::vector<T> out(m * n), expected(static_cast<std::size_t>(base.size()));
  doubled->columns(columns.data(), n, budget, pool)->block(rows.data(), m, out.data(), n, pool);
  std::vector<Index> all;
  for (Index i = 0; i < base.size(); ++i) all.push_back(i);
  const auto plain = base.columns(all.data(), base.size(), std::size_t{1} << 30, pool);
  for (Index r = 0; r < m; ++r) {
    const Index point = rows[r] / 2;
    plain->block(&point, 1, expected.data(), base.size(), pool);
    CHECK(doubled->diagonal(rows[r]) == base.diagonal(point));
    Index wrong = 0;
    for (Index j = 0; j < n; ++j) wrong += out[r * n + j] != expected[columns[j] / 2];
    CHECK(wrong == 0);
  }
}

// Features on a grid of bytes, which also values in double are formed from: their panels are wider.
twin::Matrix byte_matrix(Index n, Index d, std::uint64_t seed) {
  base::Random random(seed);
  twin::Matrix x(n, std::vector<double>(d));
  for (auto& row : x) {
    for (double& v : row) v = static_cast<double>(random.below(5)) / 8.0;
  }
  return x;
}

template <class T>
void check_columns(base::Random& random, Index n, bool bytes) {
  const twin::Matrix x = bytes ? byte_matrix(n, 5, 11) : twin::random_matrix(n, 5, 11);
  const twin::Stored stored(x, 5, twin::Layout::c, ScalarType::float64);
  for (const auto type : {KernelType::rbf, KernelType::linear}) {
    ThreadPool pool(1);
    const auto base = kernel_matrix::make_kernel_rows<T>(stored.view(), {type, 3, 0.4, 0}, pool);
    std::vector<Index> all, some, shuffled;
    for (Index v = 0; v < 2 * n; ++v) {
      all.push_back(v);
      if (random.uniform() < 0.6) some.push_back(v);
    }
    if (some.empty()) some.push_back(1);
    shuffled = some;
    for (std::size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.below(static_cast<Index>(i))]);
    const std::vector<Index> rows{2 * n - 1, 0, 2 * (n / 2)};
    for (const auto& columns : {all, some, shuffled}) {
      check_block(*base, rows, columns, std::size_t{1} << 30, 2);
      check_block(*base, rows, columns, 0, 1);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("doubled rows: all variables, some of each point, in any order, packed and by piece", T, float, double) {
  base::Random random(3);
  for (const bool bytes : {false, true}) {
    for (const Index n : {1, 7, 130, 700}) check_columns<T>(random, n, bytes);
  }
}

TEST_CASE_TEMPLATE("doubled rows compute each value of the base once where both variables of a point are wanted", T, float,
                   double) {
  const Index n = 512;
  const bool bytes = std::is_same_v<T, double>;
  const twin::Matrix x = bytes ? byte_matrix(n, 4, 2) : twin::random_matrix(n, 4, 2);
  const twin::Stored stored(x, 4, twin::Layout::c, ScalarType::float64);
  ThreadPool pool(1);
  const auto base = kernel_matrix::make_kernel_rows<T>(stored.view(), {KernelType::rbf, 3, 0.4, 0}, pool);
  const auto doubled = kernel_matrix::make_doubled(*base);
  std::vector<Index> all;
  for (Index v = 0; v < 2 * n; ++v) all.push_back(v);
  std::vector<T> out(8 * 2 * n);
  doubled->columns(all.data(), 2 * n, std::size_t{1} << 30, pool)->block(all.data(), 8, out.data(), 2 * n, pool);
  CHECK(doubled->n_values() == 8 * n);
  // The sum of those rows, for all variables and for some.
  std::vector<double> coef, sum(static_cast<std::size_t>(2 * n), 0.5);
  for (Index r = 0; r < 8; ++r) coef.push_back(0.25 * static_cast<double>(r) - 1);
  for (const Index step : {1, 3}) {
    std::vector<Index> some;
    for (Index v = 0; v < 2 * n; v += step) some.push_back(v);
    const auto m = static_cast<Index>(some.size());
    sum.assign(m, 0.5);
    doubled->columns(some.data(), m, std::size_t{1} << 30, pool)->multiply(all.data(), coef.data(), 8, sum.data(), pool);
    double worst = 0;
    for (Index j = 0; j < m; ++j) {
      double expected = 0.5;
      for (Index r = 0; r < 8; ++r) expected += coef[r] * static_cast<double>(out[r * 2 * n + some[j]]);
      worst = std::max(worst, std::abs(expected - sum[j]));
    }
    CHECK(worst < 1e-6);
  }
}
