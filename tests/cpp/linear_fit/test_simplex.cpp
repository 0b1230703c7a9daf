// The projection on a simplex: it ends whatever is equal, its values sum to the total, and agree with a plain one that sorts.
#include "linear_fit/simplex.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

std::vector<double> projected(std::vector<double> v, double total) {
  const double theta = linear_fit::shift_on_simplex(v.data(), static_cast<Index>(v.size()), total);
  for (double& one : v) one = std::max(0.0, one - theta);
  return v;
}

std::vector<double> plainly_projected(const std::vector<double>& v, double total) {
  std::vector<double> sorted = v;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = -total, theta = 0;
  for (std::size_t r = 0; r < sorted.size(); ++r) {
    if (r > 0 && sum >= static_cast<double>(r) * sorted[r]) break;
    sum += sorted[r];
    theta = sum / static_cast<double>(r + 1);
  }
  std::vector<double> out = v;
  for (double& one : out) one = std::max(0.0, one - theta);
  return out;
}

void check(const std::vector<double>& v, double total) {
  const std::vector<double> p = projected(v, total), plain = plainly_projected(v, total);
  double sum = 0, size = total;
  for (const double one : v) size = std::max(size, std::abs(one));
  for (std::size_t m = 0; m < v.size(); ++m) {
    sum += p[m];
    CHECK(std::abs(p[m] - plain[m]) <= 1e-13 * size);
  }
  CHECK(sum == doctest::Approx(total).epsilon(1e-13));
}

}  // namespace

TEST_CASE("simplex: agrees with the projection that sorts") {
  base::Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> v(1 + random.below(20));
    for (double& one : v) one = 4.0 * random.uniform() - 2.0;
    check(v, 0.01 + 3.0 * random.uniform());
  }
}

TEST_CASE("simplex: ends where values are equal to the threshold up to rounding") {
  base::Random random(2);
  for (int trial = 0; trial < 100000; ++trial) {
    std::vector<double> v(3 + random.below(8));
    const double total = 0.1 + random.uniform();
    for (std::size_t m = 0; m < 2; ++m) v[m] = 0.5 * random.uniform();
    const double theta = 0.5 * (v[0] + v[1] - total);
    for (std::size_t m = 2; m < v.size(); ++m) {  // within some roundings of it
      v[m] = theta;
      const int steps = static_cast<int>(random.below(4));
      for (int k = 0; k < steps; ++k) v[m] = std::nextafter(v[m], trial % 2 == 0 ? 2.0 : -2.0);
    }
    const std::vector<double> p = projected(v, total);
    double sum = 0;
    for (const double one : p) sum += one;
    REQUIRE(sum == doctest::Approx(total).epsilon(1e-13));
  }
  for (const double total : {1e-300, 1.0, 1e300}) check(std::vector<double>(7, 0.25), total);
  CHECK(projected({1.0}, 2.0) == std::vector<double>{2.0});
}
