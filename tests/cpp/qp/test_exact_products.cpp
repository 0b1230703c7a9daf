// Products in double (qp/exact_products.hpp) against sums over entries written out, with far regions left out and without.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "data/spatial_order.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/regions.hpp"
#include "qp/exact_products.hpp"

using namespace dcsvm;

namespace {

// Points of a square in spatial order: a kernel value of points far apart is 0.
struct Spread {
  Index n = 5000, d = 2;
  std::vector<double> x;
  KernelParams kernel;
  base::ThreadPool pool{2};

  Spread() {
    kernel.gamma = 40.0;
    base::Random random(3);
    for (Index i = 0; i < n * d; ++i) x.push_back(4.0 * random.uniform());
    const auto order = data::spatial_order(dense(x.data(), n, d), kernels::region_size<double>(), pool);
    std::vector<double> sorted(x.size());
    for (Index i = 0; i < n; ++i) std::copy_n(x.begin() + order[i] * d, d, sorted.begin() + i * d);
    x = std::move(sorted);
  }
  double entry(Index i, Index j) const {
    const double u = x[2 * i] - x[2 * j], v = x[2 * i + 1] - x[2 * j + 1];
    return std::exp(-kernel.gamma * (u * u + v * v));
  }
  std::unique_ptr<kernel_matrix::RowSource<double>> rows(double negligible) {
    return kernel_matrix::make_kernel_rows<double>(dense(x.data(), n, d), kernel, pool, negligible);
  }
};

}  // namespace

TEST_CASE("Exact products agree with sums over all entries, up to what they may leave out") {
  Spread data;
  std::vector<Index> columns(data.n), some;
  std::iota(columns.begin(), columns.end(), Index{0});
  for (Index i = 3; i < data.n; i += 37) some.push_back(i);
  std::vector<double> coef(data.n);
  base::Random random(4);
  for (double& c : coef) c = random.uniform() - 0.5;
  const double sum = std::accumulate(coef.begin(), coef.end(), 0.0, [](double s, double c) { return s + std::abs(c); });

  std::int64_t everything = 0;
  for (const double negligible : {0.0, 1e-9}) {
    for (const bool lower : {false, true}) {
      CAPTURE(negligible);
      CAPTURE(lower);
      const auto rows = data.rows(negligible);
      const auto packed = rows->columns(columns.data(), data.n, std::size_t{1} << 28, data.pool);
      REQUIRE((packed->region_size() > 0) == (negligible > 0));
      const std::vector<double> out = qp::exact_products(*packed, coef, some, lower, data.pool);
      double worst = 0;
      for (std::size_t k = 0; k < some.size(); ++k) {
        long double expected = 0;
        for (Index j = 0; j < (lower ? static_cast<Index>(k) : data.n); ++j) {
          expected += static_cast<long double>(coef[j]) * data.entry(some[k], j);
        }
        worst = std::max(worst, std::abs(out[k] - static_cast<double>(expected)));
      }
      CHECK(worst <= negligible * sum + 1e-12);
      if (!lower && negligible == 0) everything = rows->n_values();
      if (!lower && negligible > 0) CHECK(rows->n_values() < everything / 4);
    }
  }
}

// Coefficients of different sizes; of doubled variables some points have two, some one.
TEST_CASE("Products of rows that are in the support agree with sums over all entries") {
  Spread data;
  for (const double negligible : {0.0, 1e-9}) {
    for (const Index per_point : {Index{1}, Index{2}}) {
      CAPTURE(negligible);
      CAPTURE(per_point);
      const auto single = data.rows(negligible);
      const auto doubled = kernel_matrix::make_doubled<double>(*single);
      const kernel_matrix::RowSource<double>& rows = per_point == 2 ? *doubled : *single;
      base::Random random(9);
      std::vector<Index> support, points;
      std::vector<double> coef;
      for (Index i = 0; i < data.n; ++i) {
        for (Index k = 0; k < per_point; ++k) {
          if (random.below(2 * per_point) != 0) continue;
          support.push_back(i * per_point + k);
          coef.push_back((random.uniform() - 0.5) * std::pow(10.0, 4.0 * random.uniform()));
        }
        if (random.below(8) != 0) points.push_back(i * per_point);
      }
      const double sum = std::accumulate(coef.begin(), coef.end(), 0.0, [](double s, double c) { return s + std::abs(c); });
      const auto packed = rows.columns(support.data(), static_cast<Index>(support.size()), std::size_t{1} << 28, data.pool);
      const std::int64_t before = rows.n_values();
      const std::vector<double> out = qp::exact_products(rows, {support, coef, *packed}, points, std::size_t{1} << 28, data.pool);
      const std::int64_t computed = rows.n_values() - before;
      base::ThreadPool alone(1);
      CHECK(qp::exact_products(rows, {support, coef, *packed}, points, std::size_t{1} << 28, alone) == out);
      if (negligible == 0) CHECK(computed < static_cast<std::int64_t>(0.9 * static_cast<double>(points.size() * support.size())));
      double worst = 0;
      for (std::size_t k = 0; k < points.size(); k += 7) {
        long double expected = 0;
        for (std::size_t j = 0; j < support.size(); ++j)
          expected += static_cast<long double>(coef[j]) * data.entry(points[k] / per_point, support[j] / per_point);
        worst = std::max(worst, std::abs(out[k] - static_cast<double>(expected)));
      }
      CHECK(worst <= negligible * sum + 1e-14 * sum);
    }
  }
}
