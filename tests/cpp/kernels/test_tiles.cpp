// Packed points and tiles against long-double kernels, for every storage, form, precision and size around the vector widths.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "doctest/doctest.h"
#include "kernel_twin.hpp"
#include "kernels/kernel_traits.hpp"
#include "kernels/point_set.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using kernels::Form;
using kernels::PointSet;
using kernels::QuerySet;
using namespace twin;

namespace {

std::vector<KernelParams> all_kernels() {
  std::vector<KernelParams> all{{KernelType::rbf, 3, 0.8, 0}, {KernelType::poly, 2, 0.3, 1.0}, {KernelType::poly, 5, 0.2, -0.5}};
  for (const KernelType type : kernel_twin::all_types())
    all.push_back({type, 3, traits_of(type).gamma_of == GammaOf::length ? 0.5 : 0.1, 0.3});
  return all;
}

long double exact(const KernelParams& p, const std::vector<double>& a, const std::vector<double>& b) {
  return kernel_twin::value(p, a, b, static_cast<Index>(a.size()));
}

// Largest error of a whole tile, relative to 1 + |K|.
template <class T>
double tile_error(const Matrix& x, const DataView& view, Form form, const KernelParams& kernel, const double* shift,
                  const std::vector<Index>& query_rows, Index first, Index n) {
  base::ThreadPool pool(2);
  const kernels::Term term = kernels::term_of(kernel.type);
  const PointSet<T> points(view, nullptr, first, n, form, term, shift, pool);
  const QuerySet<T> queries(view, query_rows.data(), 0, static_cast<Index>(query_rows.size()), form, term, shift, pool);
  CHECK(points.size() == n);
  std::vector<std::vector<T>> out(query_rows.size(), std::vector<T>(n + 1, T(-5)));
  std::vector<T*> rows;
  for (auto& r : out) rows.push_back(r.data());
  kernels::kernel_tile(kernels::map_params<T>(kernel), queries, points, 0, n, rows.data());
  double worst = 0;
  for (std::size_t r = 0; r < query_rows.size(); ++r) {
    CHECK(out[r][n] == T(-5));
    for (Index j = 0; j < n; ++j) {
      const long double k = exact(kernel, x[query_rows[r]], x[first + j]);
      worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(out[r][j]) - k) / (1 + std::abs(k))));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE_TEMPLATE("tiles of every storage and form agree with long double", T, float, double) {
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  const Index nr = simd::ops<T>().nr;
  for (const double zeros : {0.0, 0.85}) {
    const Index d = zeros > 0 ? 90 : 17, total = 3 * nr + 80;
    Matrix x = twin::random_matrix(total, d, 3, zeros);
    x[1].assign(d, 0.0);  // a point at the origin; a CSR row without entries
    Matrix positive = x;
    for (auto& row : positive) {
      for (double& v : row) v = std::abs(v);
    }
    for (const auto& kernel : all_kernels()) {
      const Matrix& own = traits_of(kernel.type).nonnegative ? positive : x;
      for (const ScalarType scalar : {ScalarType::float32, ScalarType::float64}) {
        for (const Layout layout : {Layout::c, Layout::fortran, Layout::csr}) {
          const Stored stored(own, d, layout, scalar, scalar == ScalarType::float64);
          for (const Form form : {Form::dense, Form::sparse}) {
            if (form == Form::sparse && layout != Layout::csr) continue;
            CAPTURE(static_cast<int>(kernel.type));
            CAPTURE(static_cast<int>(layout));
            CHECK(tile_error<T>(own, stored.view(), form, kernel, nullptr, {0, 1, 5}, 0, nr + 3) < 40 * eps);
          }
        }
      }
    }
    const Stored csr(x, d, Layout::csr, ScalarType::float64), c(x, d, Layout::c, ScalarType::float64);
    std::vector<Index> many;
    for (Index r = 0; r < 77; ++r) many.push_back(total - 1 - r);
    for (const Index n : {Index{1}, nr - 1, nr, 2 * nr + 1, Index{65}}) {
      CHECK(tile_error<T>(x, csr.view(), Form::sparse, all_kernels()[1], nullptr, many, 2, n) < 40 * eps);
      CHECK(tile_error<T>(x, c.view(), Form::dense, all_kernels()[1], nullptr, many, 2, n) < 40 * eps);
    }
  }
}

TEST_CASE_TEMPLATE("shifted tiles keep their digits far from the origin", T, float, double) {
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  const Index d = 10, n = 60;
  for (const double offset : {1e4, 1e6}) {
    Matrix x = twin::random_matrix(n, d, 7);
    for (auto& row : x) {
      for (auto& v : row) v += offset;  // exact: the values are floats, the sums doubles
    }
    std::vector<double> mean(d, offset);
    const Stored stored(x, d, Layout::c, ScalarType::float64);
    const KernelParams kernel{KernelType::rbf, 3, 1.0, 0};
    CHECK(tile_error<T>(x, stored.view(), Form::dense, kernel, mean.data(), {0, 1, 2, 59}, 0, n) < 60 * eps);
    CHECK(tile_error<float>(x, stored.view(), Form::dense, kernel, nullptr, {0, 1, 2, 59}, 0, n) > 0.01);  // why there is a shift
  }
}

TEST_CASE("the sparse form is chosen for sparse and for very wide data") {
  const Matrix x = twin::random_matrix(40, 20, 1, 0.9);
  CHECK(kernels::choose_form(Stored(x, 20, Layout::csr, ScalarType::float32).view()) == Form::sparse);
  CHECK(kernels::choose_form(Stored(x, 20, Layout::c, ScalarType::float32).view()) == Form::dense);
  const Matrix full = twin::random_matrix(40, 20, 1);
  CHECK(kernels::choose_form(Stored(full, 20, Layout::csr, ScalarType::float32).view()) == Form::dense);
  CsrView wide = std::get<CsrView>(Stored(full, 20, Layout::csr, ScalarType::float32).view());
  const std::vector<std::int32_t> indptr(3, 0);
  wide.indptr = indptr.data();
  wide.rows = 2;
  wide.cols = 2000000000;
  CHECK(kernels::choose_form(wide) == Form::sparse);
}

TEST_CASE_TEMPLATE("tile_grain is a multiple of the panel width and bounded", T, float, double) {
  const Index nr = simd::ops<T>().nr;
  for (const Index d : {0, 1, 22, 784, 100000}) {
    for (const Index n : {1, 100, 5000, 1000000}) {
      const Index grain = kernels::tile_grain<T>(d, n);
      CHECK(grain >= nr);
      CHECK(grain % nr == 0);
      CHECK(grain <= 64 * nr);
    }
  }
}

TEST_CASE_TEMPLATE("rows with zeros are put together, which moves no bit of their values or of others'", T, float, double) {
  const Index nr = simd::ops<T>().nr, n = 2 * nr + 5;
  for (const Index d : {3, 30, 200}) {
    Matrix x = twin::random_matrix(700, d, 5, 0.8);
    for (auto& row : x) row[0] = 0.0;  // no row has it
    x[3].assign(d, 0.0);
    const Stored stored(x, d, Layout::c, ScalarType::float64);
    base::ThreadPool pool(1);
    const PointSet<T> points(stored.view(), nullptr, 0, n, Form::dense, kernels::Term::product, nullptr, pool);
    const QuerySet<T> together(stored.view(), nullptr, 0, 700, Form::dense, kernels::Term::product, nullptr, pool);
    const auto map = kernels::map_params<T>({KernelType::rbf, 3, 0.4, 0});
    std::vector<std::vector<T>> values(700, std::vector<T>(n));
    std::vector<T*> rows;
    for (auto& r : values) rows.push_back(r.data());
    kernels::kernel_tile(map, together, points, 0, n, rows.data());
    std::vector<T> alone(n);
    T* const out = alone.data();
    std::vector<double> coef(700), sum(static_cast<std::size_t>(n), 0.0), expected(static_cast<std::size_t>(n), 0.0);
    for (Index r = 0; r < 700; ++r) {
      kernels::kernel_tile(map, QuerySet<T>(stored.view(), nullptr, r, 1, Form::dense, kernels::Term::product, nullptr, pool),
                           points, 0, n, &out);
      CHECK(alone == values[r]);
      coef[r] = static_cast<double>(r % 7) - 3.0;
      for (Index j = 0; j < n; ++j) expected[j] += coef[r] * static_cast<double>(alone[j]);
    }
    kernels::kernel_tile_sum(map, together, points, 0, n, coef.data(), sum.data());
    for (Index j = 0; j < n; ++j)
      CHECK(sum[j] == doctest::Approx(expected[j]).epsilon(200 * static_cast<double>(std::numeric_limits<T>::epsilon())));
  }
}
