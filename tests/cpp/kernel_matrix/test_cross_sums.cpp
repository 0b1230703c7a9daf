// Sums over points whose kernel values are never stored: those of the slow twin, for one-hot columns too.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "doctest/doctest.h"
#include "kernel_matrix/cross_sums.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;

using namespace twin;

namespace {

/// Columns [0, 3) are one-hot, 3 is constant, the others are random.
Matrix mixed(Index n, Index d, std::uint64_t seed) {
  Matrix x = twin::random_matrix(n, d, seed);
  base::Random random(seed + 1);
  for (auto& row : x) {
    std::fill(row.begin(), row.begin() + 3, 0.0);
    row[static_cast<std::size_t>(3 * random.uniform())] = 1.0;
    row[3] = 0.5;
  }
  return x;
}

std::vector<double> coefficients(Index n) {
  base::Random random(5);
  std::vector<double> coef(n);
  for (auto& c : coef) c = 20 * random.uniform() - 5;
  return coef;
}

template <class T>
void check_sums(const Matrix& x, const Matrix& q, const KernelParams& kernel, Layout layout, double tolerance) {
  const auto n = static_cast<Index>(x.size()), m = static_cast<Index>(q.size()), d = static_cast<Index>(x[0].size());
  const Stored points(x, d, Layout::c, ScalarType::float64), queries(q, d, layout, ScalarType::float64);
  const std::vector<double> coef = coefficients(n);
  base::ThreadPool pool(1);
  const auto sums = kernel_matrix::make_cross_sums<T>(points.view(), kernel, coef.data(), pool);
  REQUIRE(sums != nullptr);
  std::vector<double> got(m), single(1);
  sums->sum(queries.view(), 0, m, got.data());
  for (Index r = 0; r < m; ++r) {
    double expected = 0;
    for (Index i = 0; i < n; ++i) expected += coef[i] * twin::kernel(kernel, q[r], x[i]);
    CHECK(got[r] == doctest::Approx(expected).epsilon(0).scale(1).epsilon(tolerance));
    sums->sum(queries.view(), r, 1, single.data());
    CHECK(single[0] == got[r]);
  }
}

}  // namespace

TEST_CASE("cross sums are those of the twin, of random columns and of one-hot ones") {
  const Index n = 300;
  const Matrix plain = twin::random_matrix(n, 9, 1), one_hot = mixed(n, 9, 2);
  Matrix q = mixed(70, 9, 3);
  q[0] = twin::random_matrix(1, 9, 4)[0];  // values that no point has
  for (const Layout layout : {Layout::c, Layout::csr}) {
    for (const Matrix* x : {&plain, &one_hot}) {
      for (const KernelType type : {KernelType::rbf, KernelType::linear, KernelType::poly}) {
        const KernelParams kernel{type, 2, 0.7, 1.0};
        check_sums<float>(*x, q, kernel, layout, 2e-3);
        check_sums<double>(*x, q, kernel, layout, 1e-9);
      }
    }
  }
}

TEST_CASE("a query beyond float has no sum, whichever column it is in") {
  const Matrix x = mixed(300, 9, 2);
  const Stored points(x, 9, Layout::c, ScalarType::float64);
  const std::vector<double> coef = coefficients(300);
  base::ThreadPool pool(1);
  const auto sums = kernel_matrix::make_cross_sums<float>(points.view(), {KernelType::rbf, 3, 0.5, 0}, coef.data(), pool);
  for (const std::size_t column : {std::size_t{0}, std::size_t{8}}) {
    Matrix q = mixed(2, 9, 7);
    q[0][column] = 1e30;
    const Stored queries(q, 9, Layout::c, ScalarType::float64);
    double out[2];
    sums->sum(queries.view(), 0, 2, out);
    CHECK(std::isnan(out[0]));
    CHECK(std::isfinite(out[1]));
  }
}
