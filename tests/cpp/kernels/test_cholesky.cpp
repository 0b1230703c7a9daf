// The blocked factor against the textbook's three loops, and that a host is asked between blocks.
#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "kernels/cholesky.hpp"

using namespace dcsvm;
using kernels::kFactorBlock;

namespace {

/// Column-major, symmetric; diagonally dominant, so positive definite.
std::vector<double> symmetric(Index n, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> a(n * n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i)
      a[j * n + i] = a[i * n + j] = random.uniform() - 0.5 + (i == j ? 0.3 * static_cast<double>(n) : 0);
  }
  return a;
}

std::vector<double> textbook(std::vector<double> a, Index n) {
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k < j; ++k) {
      for (Index i = j; i < n; ++i) a[j * n + i] -= a[k * n + i] * a[k * n + j];
    }
    const double pivot = std::sqrt(a[j * n + j]);
    for (Index i = j; i < n; ++i) a[j * n + i] /= pivot;
  }
  return a;
}

double worst_below(const std::vector<double>& a, const std::vector<double>& b, Index n) {
  double worst = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) worst = std::max(worst, std::abs(a[j * n + i] - b[j * n + i]));
  }
  return worst;
}

}  // namespace

TEST_CASE("cholesky: the textbook's factor below the diagonal, untouched above, whatever the threads") {
  for (const Index n : {Index{1}, Index{7}, kFactorBlock, kFactorBlock + 1, 3 * kFactorBlock + 40}) {
    const auto a = symmetric(n, 1);
    const auto expected = textbook(a, n);
    auto one = a, three = a;
    base::ThreadPool serial(1), pool(3);
    REQUIRE(kernels::cholesky(one.data(), n, serial));
    REQUIRE(kernels::cholesky(three.data(), n, pool));
    CAPTURE(n);
    CHECK(one == three);
    CHECK(worst_below(one, expected, n) < 1e-10);
    for (Index j = 0; j < n; ++j) {
      CHECK(std::equal(one.begin() + j * n, one.begin() + j * n + j, a.begin() + j * n));
    }
    base::Random random(2);
    std::vector<double> x(2 * n), back(static_cast<std::size_t>(2 * n), 0.0);
    for (double& v : x) v = random.uniform();
    const auto right = x;
    Index calls = 0;
    kernels::solve_lower(one.data(), n, x.data(), 2, [&] { ++calls; });
    CHECK(calls == (n + kFactorBlock - 1) / kFactorBlock);
    double worst = 0;
    for (Index c = 0; c < 2; ++c) {
      for (Index i = 0; i < n; ++i) {
        double sum = 0;
        for (Index j = 0; j <= i; ++j) sum += one[j * n + i] * x[c * n + j];
        worst = std::max(worst, std::abs(sum - right[c * n + i]));
      }
    }
    CHECK(worst < 1e-10);
  }
}

TEST_CASE("cholesky: a matrix that is not positive definite is refused, in whichever block") {
  for (const Index bad : {Index{0}, kFactorBlock - 1, kFactorBlock, 2 * kFactorBlock + 3}) {
    const Index n = 2 * kFactorBlock + 10;
    auto a = symmetric(n, 3);
    a[bad * n + bad] = -1;
    base::ThreadPool pool(2);
    CHECK_FALSE(kernels::cholesky(a.data(), n, pool));
  }
}

TEST_CASE("cholesky: asks the host between blocks, and stops when it throws") {
  const Index n = 4 * kFactorBlock;
  for (const int threads : {1, 3}) {
    int polls = 0;
    base::ThreadPool counting(threads, [&] { ++polls; });
    auto a = symmetric(n, 4);
    REQUIRE(kernels::cholesky(a.data(), n, counting));
    CHECK(polls >= 4);
    base::ThreadPool stopping(threads, [&] {
      if (++polls > 3) throw std::domain_error("host");
    });
    polls = 0;
    CHECK_THROWS_AS(kernels::cholesky(a.data(), n, stopping), std::domain_error);
    CHECK(polls == 4);
  }
}
