#include "kernels/product.hpp"

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

template <class T>
std::vector<T> uniform(Index n, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<T> v(n);
  for (T& e : v) e = static_cast<T>(2.0 * random.uniform() - 1.0);
  return v;
}

template <class T>
void check_product(Index m, Index d, Index n, bool triangular) {
  CAPTURE(m);
  CAPTURE(d);
  CAPTURE(n);
  base::ThreadPool pool(2);
  const auto a = uniform<T>(m * (d + 3), 1);
  auto b = uniform<double>(d * n, 2);
  if (triangular) {
    for (Index k = 0; k < d; ++k) {
      for (Index j = 0; j < std::min(k, n); ++j) b[k * n + j] = 0.0;
    }
  }
  std::vector<T> out = uniform<T>(m * (n + 1), 3);
  const std::vector<T> before = out;
  const kernels::RightFactor<T> right(b.data(), n, d, n, pool);
  right.multiply_add(a.data(), d + 3, m, out.data(), n + 1);
  const double tolerance = sizeof(T) == 4 ? 1e-6 * std::sqrt(static_cast<double>(d)) * 4 : 1e-13 * static_cast<double>(d + 1);
  for (Index r = 0; r < m; ++r) {
    for (Index j = 0; j < n; ++j) {
      double sum = static_cast<double>(before[r * (n + 1) + j]);
      for (Index k = 0; k < d; ++k) {
        sum += static_cast<double>(a[r * (d + 3) + k]) * static_cast<double>(static_cast<T>(b[k * n + j]));
      }
      REQUIRE(std::abs(static_cast<double>(out[r * (n + 1) + j]) - sum) <= tolerance);
    }
    CHECK(out[r * (n + 1) + n] == before[r * (n + 1) + n]);  // what lies behind the columns stays
  }
}

}  // namespace

TEST_CASE("RightFactor: every edge of strips, panels and depth blocks, as the plain triple loop") {
  for (const Index m : {1, 7, 200}) {
    for (const Index d : {1, 383, 385, 800}) {
      for (const Index n : {1, 49, 100}) {
        check_product<float>(m, d, n, false);
        check_product<double>(m, d, n, false);
      }
    }
  }
}

TEST_CASE("RightFactor: blocks of zeros are left out, not lost") {
  check_product<float>(20, 900, 900, true);
  check_product<double>(20, 500, 300, true);
}

TEST_CASE("subtract_outer: C - L L'") {
  const Index n = 230, d = 64, ldl = 70, ldc = 240;
  base::ThreadPool pool(2);
  const auto l = uniform<double>(n * ldl, 4);
  auto c = uniform<double>(n * ldc, 5);
  const auto before = c;
  kernels::subtract_outer(l.data(), ldl, n, d, c.data(), ldc, pool);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double sum = before[i * ldc + j];
      for (Index k = 0; k < d; ++k) sum -= l[i * ldl + k] * l[j * ldl + k];
      REQUIRE(c[i * ldc + j] == doctest::Approx(sum).epsilon(1e-11));
    }
  }
}
