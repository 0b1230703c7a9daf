// The factor of R + X'DX, and what preconditions conjugate gradients, against plain products.
#include "linear_fit/sampled_hessian.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "linear_fit/preconditioner.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;

namespace {

/// (R + X'DX) v.
std::vector<double> times(const products::Matrix& x, const std::vector<double>& h, const std::vector<double>& r,
                          const std::vector<double>& v) {
  std::vector<double> out(v);
  for (std::size_t j = 0; j < v.size(); ++j) out[j] *= r[j];
  for (Index i = 0; i < x.rows(); ++i) x.add(i, h[i] * x.dot(i, v.data()), out.data());
  return out;
}

std::vector<double> curvatures(Index n, std::uint64_t seed) {
  std::vector<double> h = random_values(n, 1, 0.7, seed);
  for (double& v : h) v = std::abs(v);
  return h;
}

double length(const std::vector<double>& v) {
  double sum = 0;
  for (const double e : v) sum += e * e;
  return std::sqrt(sum);
}

/// |M^-1 H v - v| / |v|: 0 where M is H.
double error(const linear_fit::SampledHessian& hessian, const products::Matrix& x, const std::vector<double>& h,
             const std::vector<double>& r) {
  const std::vector<double> v = random_values(x.cols(), 1, 1.0, 11);
  std::vector<double> back = times(x, h, r, v);
  hessian.solve(back.data(), 1);
  for (std::size_t j = 0; j < v.size(); ++j) back[j] -= v[j];
  return length(back) / length(v);
}

}  // namespace

TEST_CASE("sampled Hessian: of few columns all rows are summed, and the factor solves to the last digits") {
  base::ThreadPool pool(2);
  products::TileRows scratch;
  for (const double filled : {0.2, 1.0}) {
    const HandmadeMatrix m(400, 7, filled, 1.0, pool);
    const std::vector<double> h = curvatures(400, 2);
    std::vector<double> r(8, 1.0);
    linear_fit::SampledHessian hessian(m.matrix, 4, false);
    CHECK(!hessian.factored());
    CHECK(hessian.pays(0));
    CHECK(hessian.update(h, r, nullptr, scratch, pool));
    CHECK(hessian.exact(h));
    CHECK(error(hessian, m.matrix, h, r) < 1e-12);
    r.back() = 0.0;  // the bias is free
    CHECK(hessian.update(h, r, nullptr, scratch, pool));
    CHECK(error(hessian, m.matrix, h, r) < 1e-9);
    std::vector<double> other(h);
    other[3] += 1.0;
    CHECK(!hessian.exact(other));
  }
}

TEST_CASE("sampled Hessian: several vectors at once are those one by one; what is not positive definite has no factor") {
  base::ThreadPool pool(1);
  products::TileRows scratch;
  const HandmadeMatrix m(300, 12, 0.8, -1.0, pool);
  const std::vector<double> r(12, 1.0), h = curvatures(300, 2);
  linear_fit::SampledHessian hessian(m.matrix, 1, true);
  CHECK(hessian.update(h, r, nullptr, scratch, pool));
  std::vector<double> both = random_values(24, 1, 1.0, 3), one(both.begin() + 12, both.end());
  hessian.solve(both.data(), 2);
  hessian.solve(one.data(), 1);
  CHECK(std::equal(one.begin(), one.end(), both.begin() + 12));
  CHECK(!hessian.update(std::vector<double>(300, -1.0), r, nullptr, scratch, pool));
  CHECK(!hessian.factored());
  CHECK(hessian.update(h, r, nullptr, scratch, pool));
}

TEST_CASE("sampled Hessian: a sample of the rows is near enough, has no smaller diagonal, and stays while few rows change") {
  base::ThreadPool pool(2);
  products::TileRows scratch;
  constexpr Index kCols = 400, kRows = 8000;
  const HandmadeMatrix m(kRows, kCols, 1.0, -1.0, pool);
  const std::vector<double> r(kCols, 1.0);
  std::vector<double> h = curvatures(kRows, 2);
  linear_fit::SampledHessian hessian(m.matrix, 1, true), again(m.matrix, 1, true);
  CHECK(hessian.update(h, r, nullptr, scratch, pool));
  CHECK(!hessian.exact(h));
  CHECK(error(hessian, m.matrix, h, r) < 2.0);  // of the identity: hundreds
  std::vector<double> e(kCols, 0.0);  // e_j' M^-1 e_j <= 1 / M_jj, and M_jj is at least that of all rows
  e[5] = 1.0;
  const double own = times(m.matrix, h, r, e)[5];
  hessian.solve(e.data(), 1);
  CHECK(e[5] > 0.0);
  CHECK(e[5] * own < 10.0);
  std::vector<double> before(kCols, 1.0), after(kCols, 1.0);
  hessian.solve(before.data(), 1);
  for (Index i = 0; i < kRows; i += 500) h[i] *= 3.0;
  CHECK(hessian.update(h, r, nullptr, scratch, pool));
  hessian.solve(after.data(), 1);
  CHECK(before == after);
  for (double& v : h) v *= 2.0;
  CHECK(hessian.update(h, r, nullptr, scratch, pool));
  CHECK(again.update(h, r, nullptr, scratch, pool));
  std::fill(after.begin(), after.end(), 1.0);
  hessian.solve(after.data(), 1);
  CHECK(before != after);
}

TEST_CASE("sampled Hessian: a factor that is dear waits until products have cost as much") {
  base::ThreadPool pool(1);
  const HandmadeMatrix m(1000, 600, 0.02, -1.0, pool);
  const linear_fit::SampledHessian hessian(m.matrix, 1, true);
  CHECK(!hessian.pays(0));
  CHECK(hessian.pays(1000000));
  Index first = 0;
  while (!hessian.pays(first)) ++first;
  CHECK(!hessian.pays(first - 1));
}

TEST_CASE("preconditioner: the diagonal of wide X, alone or from outside, and the Hessian itself of narrow X") {
  base::ThreadPool pool(1);
  products::TileRows scratch;
  for (const bool shared : {false, true}) {
    CAPTURE(shared);
    const HandmadeMatrix wide(40, 90, 0.3, -1.0, pool), narrow(500, 6, 1.0, 1.0, pool);
    for (const HandmadeMatrix* m : {&wide, &narrow}) {
      linear_fit::Problem p;
      p.x = &m->matrix;
      p.y.assign(m->matrix.rows(), 1.0);
      p.C.assign(m->matrix.rows(), 1.0);
      const std::vector<double> h = curvatures(m->matrix.rows(), 4), v = random_values(m->matrix.cols(), 1, 1.0, 6);
      linear_fit::Preconditioner preconditioner(p, shared, nullptr, kAmpleCap);
      CHECK(preconditioner.needs_diagonal() == (shared && m == &wide));
      if (m == &wide) m->matrix.squares(h.data(), preconditioner.squares(), pool);
      preconditioner.set(h, scratch, pool);
      CHECK(preconditioner.exact() == (m == &narrow && !shared));  // several problems sum in float
      const std::vector<double> product = times(m->matrix, h, std::vector<double>(v.size(), 1.0), v);
      std::vector<double> out(v.size());
      preconditioner.solve(product, out, pool);
      if (m == &narrow) {
        CHECK(relative_difference(out, v) < 1e-4);
        continue;
      }
      for (std::size_t j = 0; j < v.size(); ++j) {
        double squares = 1.0;
        for (Index i = 0; i < 40; ++i)
          squares += h[i] * m->x[i * 90 + static_cast<Index>(j)] * m->x[i * 90 + static_cast<Index>(j)];
        CHECK(out[j] == doctest::Approx(product[j] / (0.99 + 0.01 * squares)).epsilon(1e-12));
      }
    }
  }
}
