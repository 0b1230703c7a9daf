// Split rows (simd/split.hpp) under matrix registers in plain C++ (simd/matrix_registers.cpp): no value is further off than its
// bound, whatever the rows are.
#include "kernels/split_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/plan.hpp"
#include "kernel_twin.hpp"
#include "kernels/kernel_traits.hpp"

using namespace dcsvm;
using base::ThreadPool;
using kernels::Form;

namespace dcsvm::simd {
extern const SplitOps matrix_split;  // matrix_registers.cpp
}

namespace {

const simd::SplitOps& kOps = simd::matrix_split;

struct Points {
  Index n, d;
  std::vector<float> x;
  DataView view() const { return dense(x.data(), n, d); }
  double norm2() const {
    double largest = 0;
    for (Index i = 0; i < n; ++i) {
      double sum = 0;
      for (Index k = 0; k < d; ++k) sum += static_cast<double>(x[i * d + k]) * static_cast<double>(x[i * d + k]);
      largest = std::max(largest, sum);
    }
    return largest;
  }
};

// Nearly normal.
Points normal(Index n, Index d, std::uint64_t seed, double unit = 1.0, double offset = 0.0) {
  base::Random random(seed);
  Points points{n, d, std::vector<float>(static_cast<std::size_t>(n * d))};
  for (float& v : points.x) {
    double sum = -6.0;
    for (int t = 0; t < 12; ++t) sum += random.uniform();
    v = static_cast<float>(unit * (sum + offset));
  }
  return points;
}

kernel_matrix::Plan<float> split_plan(const data::Summary& x, const KernelParams& kernel, ThreadPool& pool) {
  auto plan = kernel_matrix::make_plan<float>(x, nullptr, rows_of(x.view()), kernel, 0.0, pool, false);
  take_split(plan, x, kernel, &kOps, pool);
  return plan;
}

bool is_taken(const Points& points, const KernelParams& kernel, double negligible = 0.0) {
  ThreadPool pool(1);
  const data::Summary x(points.view());
  auto plan = kernel_matrix::make_plan<float>(x, nullptr, points.n, kernel, negligible, pool, false);
  take_split(plan, x, kernel, &kOps, pool);
  return plan.form == Form::split;
}

std::vector<float> values(const Points& points, const simd::MapParams<float>& map, const double* shift) {
  ThreadPool pool(2);
  const Index n = points.n;
  const kernels::SplitPoints columns(kOps, points.view(), nullptr, 0, n, shift, pool);
  const kernels::SplitQueries rows(kOps, points.view(), nullptr, 0, n, shift, pool);
  std::vector<float> k(static_cast<std::size_t>(n * n));
  std::vector<float*> out;
  for (Index i = 0; i < n; ++i) out.push_back(k.data() + i * n);
  split_tile(map, rows, columns, 0, n, out.data());
  return k;
}

// The largest error.
double check_bound(const Points& points, const KernelParams& kernel) {
  ThreadPool pool(1);
  const data::Summary x(points.view());
  const auto plan = split_plan(x, kernel, pool);
  REQUIRE(plan.form == Form::split);
  const kernels::Rounding r = rounding_of(plan, x, kernel, pool);
  const std::vector<float> k = values(points, plan.map, plan.shift.empty() ? nullptr : plan.shift.data());
  const std::vector<double> wide(points.x.begin(), points.x.end());
  long double worst = 0;
  for (Index i = 0; i < points.n; ++i) {
    for (Index j = 0; j < points.n; ++j) {
      REQUIRE(k[i * points.n + j] == k[j * points.n + i]);  // certificates take K_ij and K_ji to have the same bits
      const long double exact = kernel_twin::value(kernel, &wide[i * points.d], &wide[j * points.d], points.d);
      worst = std::max(worst, std::abs(k[i * points.n + j] - exact));
    }
  }
  const double bound = r.largest + r.shared + r.of_row_largest;
  CHECK(static_cast<double>(worst) <= bound);
  CHECK(static_cast<double>(worst) <= 3.0 * r.deviation + r.shared + r.of_row);  // what certificates go by, mostly
  CHECK(3.0 * r.deviation < 5e-5);
  return static_cast<double>(worst);
}

}  // namespace

TEST_CASE("split rows: sizes around strip, panel and block, and nothing is touched beyond") {
  base::Random random(3);
  ThreadPool pool(1);
  const simd::MapParams<float> map{KernelType::rbf, 0.02F, 0, 1, 0};
  const KernelParams kernel{KernelType::rbf, 3, 0.02F, 0};
  for (const Index d : {Index{1}, Index{31}, Index{32}, Index{33}, Index{100}}) {
    for (const Index m : {Index{1}, kOps.mr - 1, kOps.mr, kOps.mr + 1}) {
      for (const Index n : {Index{1}, Index{17}, kOps.nr - 1, kOps.nr, 2 * kOps.nr + 1}) {
        const Points a = normal(m, d, static_cast<std::uint64_t>(d + m)), b = normal(n, d, static_cast<std::uint64_t>(d * n));
        const kernels::SplitQueries rows(kOps, a.view(), nullptr, 0, m, nullptr, pool);
        const kernels::SplitPoints columns(kOps, b.view(), nullptr, 0, n, nullptr, pool);
        std::vector<float> out(static_cast<std::size_t>(m * (n + 2)), -77.0F), coef;
        std::vector<float*> at;
        for (Index r = 0; r < m; ++r) {
          at.push_back(out.data() + r * (n + 2) + 1);
          coef.push_back(static_cast<float>(random.uniform() - 0.5));
        }
        std::vector<double> g(static_cast<std::size_t>(n + 1), 3.0);
        split_tile(map, rows, columns, 0, n, at.data());
        split_tile_sum(map, rows, columns, 0, n, coef.data(), g.data());
        CHECK(g[n] == 3.0);
        const std::vector<double> wide_a(a.x.begin(), a.x.end()), wide_b(b.x.begin(), b.x.end());
        long double worst = 0, worst_sum = 0;
        for (Index j = 0; j < n; ++j) {
          long double sum = 3;
          for (Index r = 0; r < m; ++r) {
            worst = std::max(worst, std::abs(at[r][j] - kernel_twin::value(kernel, &wide_a[r * d], &wide_b[j * d], d)));
            sum += static_cast<long double>(coef[r]) * static_cast<long double>(at[r][j]);
          }
          worst_sum = std::max(worst_sum, std::abs(static_cast<long double>(g[j]) - sum));
        }
        for (Index r = 0; r < m; ++r) CHECK((at[r][-1] == -77.0F && at[r][n] == -77.0F));
        CHECK(worst < 2e-5L);
        CHECK(worst_sum < 1e-5L);
        // From the second panel on, and by index: the same bits.
        if (n <= kOps.nr) continue;
        std::vector<float> rest(static_cast<std::size_t>(m * n));
        std::vector<float*> at_rest;
        for (Index r = 0; r < m; ++r) at_rest.push_back(rest.data() + r * n);
        split_tile(map, rows, columns, kOps.nr, n, at_rest.data());
        for (Index r = 0; r < m; ++r) CHECK(at_rest[r][n - kOps.nr - 1] == at[r][n - 1]);
        std::vector<Index> last{n - 1};
        const kernels::SplitPoints alone(kOps, b.view(), last.data(), 0, 1, nullptr, pool);
        split_tile(map, rows, alone, 0, 1, at_rest.data());
        for (Index r = 0; r < m; ++r) CHECK(at_rest[r][0] == at[r][n - 1]);
      }
    }
  }
}

TEST_CASE("split rows: no value is further off than its bound") {
  const Index n = 50;
  for (const Index d : {Index{96}, Index{130}, Index{400}}) {
    CAPTURE(d);
    for (const KernelType type : kernel_twin::all_types()) {
      if (!kernels::takes_squared_distance(type)) continue;
      for (const double gamma : {0.1, 1.0, 4.0}) {
        for (const double unit : {1e-6, 1.0, 1e6}) {
          for (const double offset : {0.0, 100.0}) {
            const Points points = normal(n, d, 7, unit, offset);
            const double square = gamma / (unit * unit * static_cast<double>(d));
            const KernelParams kernel{type, 3, traits_of(type).gamma_of == GammaOf::length ? std::sqrt(square) : square, 0};
            if (!is_taken(points, kernel)) continue;  // a kernel with an edge at 0, which needs differences
            CAPTURE(static_cast<int>(type));
            CAPTURE(gamma);
            CAPTURE(unit);
            CAPTURE(offset);
            check_bound(points, kernel);
          }
        }
      }
    }
  }
}

TEST_CASE("split rows: bounds where features need all parts, are equal, repeat or are denormal") {
  const Index n = 40, d = 384;
  const KernelParams kernel{KernelType::rbf, 3, 1.0, 0};
  // A number that without its third part would move by nearly 2^-17 of itself, in all features.
  const float most = 1.0F + 0x1.fep-9F + 0x1.fep-18F;
  Points points = normal(n, d, 11);
  for (Index i = 0; i < n; ++i) {
    const float size = std::ldexp(i % 2 == 0 ? most : -most, i % 3 == 0 ? -5 : -6);
    std::fill_n(&points.x[i * d], d, size);
  }
  CHECK(check_bound(points, kernel) < 2e-6);

  points = normal(n, d, 12, 0.05);  // near duplicates, and duplicates
  for (Index i = 10 * d; i < n * d; ++i) points.x[i] = points.x[i % (10 * d)] * (i < 30 * d ? 1.0F + 1e-5F * points.x[i] : 1.0F);
  check_bound(points, kernel);
  const std::vector<float> k = values(points, {KernelType::rbf, 1.0F, 0, 1, 0}, nullptr);
  for (Index i = 0; i < 10; ++i) CHECK(std::abs(k[i * n + i + 30] - 1.0F) < 64 * std::numeric_limits<float>::epsilon());

  points = normal(n, d, 13, 0.05);  // one feature of far more than the others; denormal and tiny numbers
  for (Index i = 0; i < n; ++i) {
    points.x[i * d] *= 20.0F;
    points.x[i * d + 1] = 1e-41F * static_cast<float>(i);
    points.x[i * d + 2] = 1e-37F * points.x[i * d + 3];
    points.x[i * d + 5] *= 1e-19F;
    points.x[i * d + 6] = 0.0F;
  }
  check_bound(points, kernel);

  for (float& v : points.x) v = 0.05F;  // all rows equal
  points.x[0] = 0.06F;
  check_bound(points, kernel);
}

TEST_CASE("split rows: products of whole numbers are exact") {
  base::Random random(5);
  const Index n = 30, d = 128;
  Points points{n, d, std::vector<float>(static_cast<std::size_t>(n * d))};
  for (float& v : points.x) v = static_cast<float>(random.below(151) - 75);
  ThreadPool pool(1);
  const data::Summary x(points.view());
  const KernelParams kernel{KernelType::rbf, 3, 1.0 / points.norm2(), 0};
  auto plan = split_plan(x, kernel, pool);
  REQUIRE(plan.form == Form::split);
  plan.shift.clear();
  const kernels::Rounding r = rounding_of(plan, x, kernel, pool);
  CHECK(r.alike);
  const std::vector<float> k = values(points, plan.map, nullptr);
  const std::vector<double> wide(points.x.begin(), points.x.end());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const long double off = k[i * n + j] - kernel_twin::value(kernel, &wide[i * d], &wide[j * d], d);
      CHECK(static_cast<double>(std::abs(off)) <= r.largest + r.shared);
    }
  }
  CHECK(r.largest < 1e-6);
}

TEST_CASE("split rows: which data and kernels take them") {
  const Index n = 60, d = 384;
  const auto rbf = [](double gamma) { return KernelParams{KernelType::rbf, 3, gamma, 0}; };
  const Points unit = normal(n, d, 21, 0.05);
  CHECK(is_taken(unit, rbf(1.0)));
  CHECK(is_taken(normal(n, d, 21, 0.05, 30.0), rbf(1.0)));  // shifted
  CHECK_FALSE(is_taken(unit, rbf(1.0), 1e-9));  // regions leave out values
  CHECK_FALSE(is_taken(unit, rbf(100.0)));  // needs differences
  CHECK_FALSE(is_taken(normal(n, 64, 21, 0.1), rbf(1.0)));
  CHECK_FALSE(is_taken(normal(n, d, 21, 1e-14), rbf(1e24)));  // products of low parts may be below float's range
  CHECK_FALSE(is_taken(unit, {KernelType::poly, 3, 1.0, 0}));
  CHECK_FALSE(is_taken(unit, {KernelType::linear, 3, 1.0, 0}));
  CHECK_FALSE(is_taken(unit, {KernelType::exponential, 3, 1.0, 0}));
  CHECK_FALSE(is_taken(unit, {KernelType::laplacian, 3, 1e-3, 0}));
  Points zeros = unit;
  for (Index i = 0; i < n * d; ++i) zeros.x[i] *= i % 8 == 0 ? 1.0F : 0.0F;
  CHECK_FALSE(is_taken(zeros, rbf(1.0)));
  ThreadPool pool(1);
  const data::Summary x(unit.view());
  auto plan = kernel_matrix::make_plan<float>(x, nullptr, n, rbf(1.0), 0.0, pool, false);
  take_split(plan, x, rbf(1.0), nullptr, pool);
  CHECK(plan.form == Form::dense);
}
