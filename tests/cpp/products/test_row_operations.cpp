// The operations on single rows, of every length and type, against plain loops over values whose sums are exact.
#include "products/row_operations.hpp"

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

constexpr Index kMost = 40;  // longer than every unrolled loop, and than a short row
constexpr double kFactor = 0.75;

/// Multiples of 1/32, so that no product and no sum is rounded, in any order.
std::vector<double> values(Index n, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> out(static_cast<std::size_t>(n));
  for (double& v : out) v = static_cast<double>(random.below(512)) / 32 - 8;
  return out;
}

struct Expected {
  double dot = 0, squares = 0;
  std::vector<double> added;  // w + kFactor v
};

Expected plainly(const std::vector<double>& v, const std::vector<Index>& column, std::vector<double> w) {
  Expected out;
  for (std::size_t t = 0; t < v.size(); ++t) {
    out.dot += v[t] * w[column[t]];
    out.squares += v[t] * v[t];
  }
  for (std::size_t t = 0; t < v.size(); ++t) w[column[t]] += kFactor * v[t];
  out.added = std::move(w);
  return out;
}

template <class T, class Column>
void check_sparse(const std::vector<double>& v, const std::vector<Index>& column, const std::vector<double>& w) {
  const Expected expected = plainly(v, column, w);
  const std::vector<T> own(v.begin(), v.end());
  const std::vector<Column> c(column.begin(), column.end());
  const auto n = static_cast<Index>(v.size());
  CHECK(products::sparse_dot(own.data(), c.data(), n, w.data()) == expected.dot);
  CHECK(products::sum_of_squares(own.data(), n) == expected.squares);
  std::vector<double> to = w;
  products::sparse_add(own.data(), c.data(), n, kFactor, to.data());
  CHECK(to == expected.added);
}

template <class T>
void check_dense(const std::vector<double>& v, const std::vector<double>& w) {
  const auto n = static_cast<Index>(v.size());
  std::vector<Index> all(v.size());
  for (Index j = 0; j < n; ++j) all[j] = j;
  const Expected expected = plainly(v, all, w);
  const std::vector<T> own(v.begin(), v.end());
  CHECK(products::dense_dot(own.data(), w.data(), n) == expected.dot);
  std::vector<double> to = w;
  products::dense_add(own.data(), n, kFactor, to.data());
  CHECK(to == expected.added);
}

}  // namespace

TEST_CASE("row operations: products, squares and sums of sparse rows of every length") {
  const std::vector<double> w = values(2 * kMost, 1);
  for (Index n = 0; n <= kMost; ++n) {
    CAPTURE(n);
    std::vector<Index> column;
    for (Index t = 0; t < n; ++t) column.push_back(2 * t + t % 2);
    const std::vector<double> v = values(n, 2 + static_cast<std::uint64_t>(n));
    check_sparse<float, std::uint16_t>(v, column, w);
    check_sparse<float, std::int32_t>(v, column, w);
    check_sparse<double, std::uint16_t>(v, column, w);
    check_sparse<double, std::int32_t>(v, column, w);
  }
}

TEST_CASE("row operations: products and sums of dense rows of every length") {
  for (Index n = 0; n <= kMost; ++n) {
    CAPTURE(n);
    const std::vector<double> v = values(n, 50), w = values(n, 100 + static_cast<std::uint64_t>(n));
    check_dense<float>(v, w);
    check_dense<double>(v, w);
  }
}

TEST_CASE("row operations: rows that are added together are those added one after another") {
  for (Index n = 0; n <= kMost; ++n) {
    CAPTURE(n);
    std::vector<std::vector<double>> rows;
    std::vector<const double*> v;
    const std::vector<double> a = values(products::kSums, 7);
    std::vector<double> w = values(n, 8), expected = w;
    for (Index k = 0; k < products::kSums; ++k) rows.push_back(values(n, 20 + static_cast<std::uint64_t>(k)));
    for (Index k = 0; k < products::kSums; ++k) {
      v.push_back(rows[k].data());
      for (Index j = 0; j < n; ++j) expected[j] += a[k] * rows[k][j];
    }
    products::dense_add_together(v.data(), a.data(), n, w.data());
    CHECK(w == expected);
  }
}
