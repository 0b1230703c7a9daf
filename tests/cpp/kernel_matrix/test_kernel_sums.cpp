// dcsvm/kernel.hpp against the slow twin, for dense and CSR points, one sum and several.
#include <cmath>
#include <limits>
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
