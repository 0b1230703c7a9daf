// dcsvm/kernel.hpp against the slow twin, for dense and CSR points, one sum and several.
#include <atomic>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "dcsvm/errors.hpp"
#include "dcsvm/kernel.hpp"
#include "doctest/doctest.h"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using namespace twin;

TEST_CASE("kernel values and sums are those of the twin") {
  const Index m = 70, n = 1100, d = 5, n_sums = 3;
  const Matrix x = twin::random_matrix(m, d, 1), z = twin::random_matrix(n, d, 2);
  KernelParams kernel;
  kernel.gamma = 0.3;
  std::vector<double> coef(n_sums * n);
  for (std::size_t i = 0; i < coef.size(); ++i) coef[i] = std::sin(static_cast<double>(i));
  for (const Layout layout : {Layout::c, Layout::csr}) {
    const Stored rows(x, d, layout, ScalarType::float64), points(z, d, layout, ScalarType::float64);
    for (const Precision precision : {Precision::single_, Precision::double_}) {
      const double tolerance = precision == Precision::single_ ? 1e-4 : 1e-11;
      std::vector<double> values(m * n), sums(m * n_sums), one(m);
      kernel_values(rows.view(), points.view(), kernel, precision, values.data());
      kernel_sums(rows.view(), points.view(), coef.data(), n_sums, kernel, precision, sums.data());
      kernel_sums(rows.view(), points.view(), coef.data(), 1, kernel, precision, one.data());
      for (Index i = 0; i < m; ++i) {
        for (Index s = 0; s < n_sums; ++s) {
          double expected = 0;
          for (Index j = 0; j < n; ++j) expected += coef[s * n + j] * twin::kernel(kernel, x[i], z[j]);
          CHECK(std::abs(sums[i * n_sums + s] - expected) < tolerance);
          if (s == 0) CHECK(std::abs(one[i] - expected) < tolerance);
        }
        CHECK(std::abs(values[i * n + 7] - twin::kernel(kernel, x[i], z[7])) < tolerance);
      }
    }
  }
}

TEST_CASE("kernel sums refuse what they cannot compute") {
  const Matrix x = twin::random_matrix(4, 3, 1), narrow = twin::random_matrix(4, 2, 2);
  const Stored rows(x, 3, Layout::c, ScalarType::float64), other(narrow, 2, Layout::c, ScalarType::float64);
  std::vector<double> coef(4, 1.0), out(16);
  KernelParams kernel;
  const auto sums = [&](const DataView& points) {
    kernel_sums(rows.view(), points, coef.data(), 1, kernel, Precision::double_, out.data());
  };
  CHECK_THROWS_AS(sums(rows.view()), ParameterError);  // gamma is not set
  kernel.gamma = 1.0;
  CHECK_THROWS_AS(sums(other.view()), DataError);
  coef[2] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(sums(rows.view()), DataError);
  kernel.type = KernelType::precomputed;
  CHECK_THROWS_AS(sums(rows.view()), ParameterError);
}

namespace {

std::atomic<long> calls{0};

double plain_sum(const double* x, const double* z, long n) {
  calls.fetch_add(1, std::memory_order_relaxed);
  double sum = 0;
  for (long k = 0; k < n; ++k) sum += x[k] * z[k] + std::abs(x[k] - z[k]);
  return sum;
}

}  // namespace

TEST_CASE("values of the caller's function are those of a plain loop, whatever the number of threads") {
  const Index n = 501, m = 333, d = 3;  // more than one thread takes
  const Matrix a = twin::random_matrix(n, d, 1), b = twin::random_matrix(m, d, 2);
  const Stored rows(a, d, Layout::c, ScalarType::float64), points(b, d, Layout::c, ScalarType::float64);
  const auto at = [](const Stored& s) { return static_cast<const double*>(std::get<DenseView>(s.view()).data); };
  const double *x = at(rows), *z = at(points);
  for (const int threads : {1, 3}) {
    std::vector<double> all(n * m), own(n * n);
    function_values(x, n, z, m, d, plain_sum, all.data(), {threads, {}});
    bool same = true;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < m; ++j) same &= all[i * m + j] == plain_sum(x + i * d, z + j * d, d);
    calls = 0;
    function_values(x, n, x, n, d, plain_sum, own.data(), {threads, {}});
    CHECK(calls == n * (n + 1) / 2);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) same &= own[i * n + j] == plain_sum(x + i * d, x + j * d, d);
    CHECK(same);
  }
  const double bad[] = {1, std::numeric_limits<double>::quiet_NaN()};
  double out = 0;
  CHECK_THROWS_AS(function_values(x, 1, bad, 1, 2, plain_sum, &out), DataError);
  CHECK_THROWS_AS(function_values(bad, 1, x, 1, 2, plain_sum, &out), DataError);
}
