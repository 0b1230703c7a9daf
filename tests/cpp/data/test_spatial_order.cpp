#include "data/spatial_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using base::ThreadPool;
using namespace twin;

namespace {

std::vector<Index> order_of(const Matrix& x, Index d, Index leaf, int threads = 2, Layout layout = Layout::c) {
  const Stored stored(x, d, layout, ScalarType::float64);
  ThreadPool pool(threads);
  return data::spatial_order(stored.view(), leaf, pool);
}

bool permutation(std::vector<Index> order, Index n) {
  std::sort(order.begin(), order.end());
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  return order == all;
}

// Mean squared diagonal of the regions around leaves of `leaf` consecutive points.
double mean_diagonal2(const Matrix& x, Index d, const std::vector<Index>& order, Index leaf) {
  double sum = 0;
  Index regions = 0;
  for (std::size_t from = 0; from < order.size(); from += static_cast<std::size_t>(leaf), ++regions) {
    for (Index k = 0; k < d; ++k) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (std::size_t p = from; p < std::min(order.size(), from + static_cast<std::size_t>(leaf)); ++p) {
        low = std::min(low, x[order[p]][k]);
        high = std::max(high, x[order[p]][k]);
      }
      sum += (high - low) * (high - low);
    }
  }
  return sum / static_cast<double>(regions);
}

}  // namespace

TEST_CASE("spatial order is a permutation, the same for any number of threads and any storage") {
  for (const Index n : {1, 2, 47, 48, 49, 96, 97, 3000}) {
    for (const Index d : {1, 2, 9}) {
      const Matrix x = twin::random_matrix(n, d, 3, 0.3);
      const auto one = order_of(x, d, 48, 1);
      CHECK(permutation(one, n));
      for (const int threads : {2, 5}) CHECK(order_of(x, d, 48, threads) == one);
      CHECK(order_of(x, d, 48, 2, Layout::fortran) == one);
      CHECK(order_of(x, d, 48, 2, Layout::csr) == one);
    }
  }
}

TEST_CASE("spatial order of awkward data: duplicates, constant columns, a leaf larger than all, leaves of 1") {
  const Index n = 1000, d = 4;
  Matrix same(static_cast<std::size_t>(n), std::vector<double>(d, 2.5));
  CHECK(permutation(order_of(same, d, 64), n));
  CHECK(permutation(order_of(same, d, 1), n));
  CHECK(order_of(same, d, 64, 1) == order_of(same, d, 64, 5));
  Matrix x = twin::random_matrix(n, d, 4);
  for (Index i = 0; i < n; ++i) {
    x[i][1] = 7;                               // constant
    x[i][3] = static_cast<double>(i % 3 - 1);  // many ties
    if (i % 2 == 1) x[i] = x[i - 1];       // pairs
  }
  CHECK(permutation(order_of(x, d, 64), n));
  CHECK(order_of(x, d, 64, 1) == order_of(x, d, 64, 5));
  std::vector<Index> untouched(n);
  std::iota(untouched.begin(), untouched.end(), Index{0});
  CHECK(order_of(x, d, n) == untouched);
  CHECK(order_of(x, d, n + 1) == untouched);
  // Leaves of one point of one feature: sorted.
  Matrix line = twin::random_matrix(n, 1, 5);
  const auto sorted = order_of(line, 1, 1);
  for (Index p = 1; p < n; ++p) CHECK(line[sorted[p - 1]][0] <= line[sorted[p]][0]);
}

TEST_CASE("leaves of the spatial order are compact, also far from the origin") {
  const Index n = 6400, d = 6, leaf = 50;
  for (const double offset : {0.0, 1e3}) {
    Matrix x = twin::random_matrix(n, d, 6, 0.0, offset);
    for (auto& row : x) {
      for (Index k = 3; k < d; ++k) row[k] = offset + 0.05 * (row[k] - offset);
    }
    std::vector<Index> random_order(n);
    std::iota(random_order.begin(), random_order.end(), Index{0});
    const double random_diagonal2 = mean_diagonal2(x, d, random_order, leaf);
    // 128 leaves over a cube of side 2: 5 x 5 x 5 would have sides of 0.4, diagonals of 0.7; random leaves about 3.3.
    const double diagonal2 = mean_diagonal2(x, d, order_of(x, d, leaf), leaf);
    CHECK(random_diagonal2 > 10);
    CHECK(diagonal2 < 0.1 * random_diagonal2);
  }
}
