// Data on a byte grid: what is taken for it, and that tiles in the bytes form agree with long double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "data/byte_grid.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "kernels/point_set.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using kernels::ByteGrid;
using kernels::Form;
using kernels::PointSet;
using kernels::QuerySet;
using namespace twin;

namespace {

// n x d values offset + step * u, a share of the u zero, others up to `top`.
Matrix on_grid(Index n, Index d, double offset, double step, int top, std::uint64_t seed, double zeros = 0.3) {
  base::Random random(seed);
  Matrix x(static_cast<std::size_t>(n), std::vector<double>(d));
  for (auto& row : x) {
    for (auto& v : row) v = offset + step * static_cast<double>(random.uniform() < zeros ? 0 : 1 + random.below(top));
  }
  x[0][0] = offset + step * top;
  x[0][1] = offset;
  return x;
}

ByteGrid grid_of(const Matrix& x, Layout layout, ScalarType scalar, bool rbf = true, int threads = 1) {
  const auto d = static_cast<Index>(x[0].size());
  const Stored stored(x, d, layout, scalar);
  base::ThreadPool pool(threads);
  return data::find_byte_grid(stored.view(), nullptr, static_cast<Index>(x.size()), rbf, pool);
}
double step_of(const Matrix& x, bool rbf = true) { return grid_of(x, Layout::c, ScalarType::float64, rbf).step; }

bool no_bytes_here() {
  if (simd::byte_ops() != nullptr) return false;
  CHECK(step_of(on_grid(30, 8, 0, 1, 255, 1)) == 0.0);  // never chosen then
  return true;
}

}  // namespace

TEST_CASE("a byte grid is found in data that is on one") {
  if (no_bytes_here()) return;
  for (const Layout layout : {Layout::c, Layout::fortran, Layout::csr}) {
    for (const ScalarType scalar : {ScalarType::float32, ScalarType::float64}) {
      for (const int threads : {1, 3}) {
        CAPTURE(static_cast<int>(layout));
        const auto find = [&](double offset, double step, int top) {
          return grid_of(on_grid(700, 9, offset, step, top, 5), layout, scalar, true, threads);
        };
        CHECK(find(0, 1.0 / 255, 255).step == 1.0 / 255);
        CHECK(find(0, 1.0 / 255, 254).step == 1.0 / 255);
        CHECK(find(0, 1, 255).step == 1.0);
        CHECK(find(0, 1, 1).step == 1.0);
        CHECK(find(0, 1.0 / 16, 16).step == doctest::Approx(1.0 / 16));
        CHECK(find(0, 0.37, 200).step == doctest::Approx(0.37));
        CHECK(find(0, 1.0 / 255, 255).offset == 0.0);
        const bool sparse = layout == Layout::csr;  // whose zeros are not stored: no offset
        CHECK(find(-1, 2.0 / 255, 255).step == doctest::Approx(sparse ? 0.0 : 2.0 / 255));
        CHECK(find(-1, 1, 2).step == doctest::Approx(sparse ? 0.0 : 1.0));
        if (!sparse) CHECK(find(3.5, 0.25, 255).offset == 3.5);
      }
    }
  }
  CHECK(step_of(Matrix(3, std::vector<double>(4, 0.0))) == 1.0);
  CHECK(step_of(Matrix(3, std::vector<double>(4, 5.3))) == 5.3);
  Matrix late = on_grid(700, 9, 0, 1.0 / 16, 1, 5);  // levels that the sample does not show
  CHECK(step_of(late) == 1.0 / 16);
  late[699][3] = 4.0 / 16;
  late[698][3] = 16.5 / 16;
  CHECK(step_of(late) == 0.5 / 16);
  // Standardised in float, as image pipelines do.
  Matrix z = on_grid(300, 20, 0, 1, 255, 6);
  for (auto& row : z) {
    for (auto& v : row) v = static_cast<double>((static_cast<float>(v) / 255.0F - 0.5F) / 0.5F);
  }
  CHECK(grid_of(z, Layout::c, ScalarType::float32).step == doctest::Approx(2.0 / 255));
  CHECK(grid_of(z, Layout::c, ScalarType::float32, false).step == 0.0);  // an offset is for differences only
}

TEST_CASE("data of two values are bits, and only these") {
  if (no_bytes_here()) return;
  const bool has = simd::has_bit_ops();
  for (const Layout layout : {Layout::c, Layout::csr}) {
    CAPTURE(static_cast<int>(layout));
    for (const Index n : {Index{40}, Index{700}}) {
      CHECK(grid_of(on_grid(n, 9, 0, 1, 1, 5), layout, ScalarType::float64).bits == has);
      CHECK(grid_of(on_grid(n, 9, 0, 0.1, 1, 5), layout, ScalarType::float32).bits == has);
      CHECK_FALSE(grid_of(on_grid(n, 9, 0, 1, 2, 5), layout, ScalarType::float64).bits);
      Matrix late = on_grid(n, 9, 0, 1, 1, 5);  // a level that a sample does not show
      late[n - 1][3] = 2.0;
      CHECK(grid_of(late, layout, ScalarType::float64).step == 1.0);
      CHECK_FALSE(grid_of(late, layout, ScalarType::float64).bits);
    }
  }
  const ByteGrid signs = grid_of(on_grid(300, 9, -1, 2, 1, 5), Layout::c, ScalarType::float64);
  CHECK(signs.bits == has);
  CHECK(signs.offset == -1.0);
  CHECK(signs.step == (has ? 2.0 : 1.0));
  CHECK_FALSE(grid_of(Matrix(3, {2.0, 3.0}), Layout::c, ScalarType::float64).bits);  // 2 and 3 times the step
  // Sparse rows become bits up to more columns than they become bytes.
  CHECK((grid_of(on_grid(300, 400, 0, 1, 1, 5, 0.97), Layout::csr, ScalarType::float64).step > 0) == has);
  CHECK(grid_of(on_grid(300, 400, 0, 1, 2, 5, 0.97), Layout::csr, ScalarType::float64).step == 0.0);
}

TEST_CASE("no byte grid where a single value is off, or where products could go wrong") {
  if (no_bytes_here()) return;
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const Matrix images = on_grid(600, 12, 0, 1.0 / 255, 255, 7), counts = on_grid(600, 12, 0, 1, 255, 8);
  for (const auto& [row, column] : std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {299, 5}, {599, 11}}) {
    for (const double bad : {images[row][column] + 1e-6, 0.5 + 1e-9, 2.0, nan, -nan, inf, 1e-300, 1e300}) {
      Matrix x = images;
      x[row][column] = bad;
      CAPTURE(bad);
      CHECK(step_of(x) == 0.0);
    }
    for (const double bad : {256.0, 200.000001, 0.5, 1e6, nan, -inf}) {
      Matrix x = counts;
      x[row][column] = bad;
      CAPTURE(bad);
      CHECK(step_of(x) == 0.0);
    }
    Matrix negative = counts;
    negative[row][column] = -1;
    CHECK(step_of(negative, false) == 0.0);
    CHECK(step_of(negative, true) == 0.0);  // -1 .. 255 are 257 levels
  }
  CHECK(step_of(twin::random_matrix(50, 10, 3)) == 0.0);
  for (const double size : {1e-13, 1e15}) {  // step^2 would leave float's range
    CHECK(step_of(Matrix(5, {0.0, size})) == 0.0);
    CHECK(step_of(Matrix(5, {size, size}), false) == 0.0);
  }
  CHECK(step_of(Matrix(2, std::vector<double>(simd::kByteFeatures, 1.0))) == 1.0);
  CHECK(step_of(Matrix(2, std::vector<double>(simd::kByteFeatures + 1, 1.0))) == 0.0);
  CHECK(grid_of(on_grid(40, 2000, 0, 1, 1, 4, 0.99), Layout::csr, ScalarType::float32).step == 0.0);  // sparse is faster
}

// Floats near 1e6 are multiples of 1/16 and say no more than that: a step of which some are halves is no grid.
TEST_CASE("data far from the origin is on a byte grid exactly or not at all") {
  if (no_bytes_here()) return;
  base::Random random(3);
  for (const double far : {1e3, 1e6, 1e8}) {
    const double spacing = std::nextafter(static_cast<float>(far), 2e9F) - static_cast<float>(far);
    Matrix x(40, std::vector<double>(3));
    for (auto& row : x) {
      for (auto& v : row) v = far + spacing * static_cast<double>(random.below(90));
    }
    x[0][0] = far;
    x[1][0] = far + spacing * 89;
    const ByteGrid exact = grid_of(x, Layout::c, ScalarType::float32);
    CAPTURE(far);
    REQUIRE(exact.step > 0);
    for (const auto& row : x) {
      for (const double v : row) {
        const double u = (v - exact.offset) / exact.step;
        CHECK(std::abs(u - std::round(u)) < 1e-3);
      }
    }
    Matrix off = x;
    for (auto& row : off) {
      for (auto& v : row) v = far + 7 * (v - far);
    }
    off[2][1] = far + spacing;  // 89 * 7 / 1 levels
    CHECK(grid_of(off, Layout::c, ScalarType::float32).step == 0.0);
  }
}

TEST_CASE("tiles of bytes agree with long double") {
  if (no_bytes_here()) return;
  const std::vector<KernelParams> list{{KernelType::linear, 3, 1, 0},      {KernelType::rbf, 3, 0.8, 0},
                                       {KernelType::poly, 2, 0.3, 1.0},    {KernelType::poly, 5, 0.02, -0.5},
                                       {KernelType::sigmoid, 3, 0.1, 0.3}, {KernelType::tanimoto, 3, 1, 0}};
  const double eps = static_cast<double>(std::numeric_limits<float>::epsilon());
  const Index nr = simd::ops<float>().nr, n = 2 * nr + 5, m = 19;
  for (const auto& [offset, top] : {std::pair{0.0, 255}, std::pair{-1.0, 255}, std::pair{0.0, 1}, std::pair{-1.0, 1}}) {
    for (const Index d : {2, 3, 4, 17, 41}) {
      const Matrix x = on_grid(n, d, offset, top == 1 ? 1.0 : 1.0 / 255, top, 9);
      for (const Layout layout : {Layout::c, Layout::fortran, Layout::csr}) {
        if (offset != 0 && layout == Layout::csr) continue;
        for (const auto& kernel : list) {
          if (offset != 0 && kernel.type != KernelType::rbf) continue;
          const Stored stored(x, d, layout, ScalarType::float64);
          base::ThreadPool pool(2);
          const ByteGrid grid = data::find_byte_grid(stored.view(), nullptr, n, kernel.type == KernelType::rbf, pool);
          CHECK(grid.offset == offset);
          CHECK(grid.bits == (top == 1 && simd::has_bit_ops()));
          std::vector<Index> rows;
          for (Index r = 0; r < m; ++r) rows.push_back(n - 1 - 2 * r);
          const PointSet<float> points(stored.view(), nullptr, 0, n, Form::bytes, kernels::Term::product, nullptr, pool, grid);
          const QuerySet<float> queries(stored.view(), rows.data(), 0, m, Form::bytes, kernels::Term::product, nullptr, pool,
                                        grid);
          CHECK(queries.off_grid().empty());
          CHECK(points.size() == n);
          std::vector<float> out(m * n);
          std::vector<float*> to;
          for (Index r = 0; r < m; ++r) to.push_back(out.data() + r * n);
          kernels::kernel_tile(kernels::map_params<float>(kernel), queries, points, 0, n, to.data());
          double worst = 0;
          for (Index r = 0; r < m; ++r) {
            for (Index j = 0; j < n; ++j) {
              const double truth = twin::kernel(kernel, x[rows[r]], x[j]);
              worst = std::max(worst, std::abs(static_cast<double>(out[r * n + j]) - truth) / (1 + std::abs(truth)));
            }
          }
          CAPTURE(d);
          CAPTURE(static_cast<int>(kernel.type));
          CHECK(worst < 8 * eps);
          if (kernel.type == KernelType::rbf) CHECK(out[n - 1] == 1.0F);  // query 0 is point n - 1
          const Index padded = (n + nr - 1) / nr * nr, bytes = grid.bits ? (d + 7) / 8 : d, whole = (bytes + 3) / 4 * 4;
          CHECK(points.bytes() ==
                static_cast<std::size_t>(padded * (whole + 4) + n * 4) + sizeof(Index));  // the empty sparse form's
        }
      }
    }
  }
}

TEST_CASE("points and queries packed from rows that are kept as bytes are the same") {
  if (no_bytes_here()) return;
  const Index n = 70, d = 13, m = 9;
  for (const bool bits : {false, true}) {
    if (bits && !simd::has_bit_ops()) continue;
    const Matrix x = bits ? on_grid(n, d, 0, 1, 1, 5) : on_grid(n, d, 0, 1.0 / 255, 255, 5);
    const ByteGrid grid{0, bits ? 1.0 : 1.0 / 255, false, bits};
    std::vector<Index> some;
    for (Index r = 0; r < m; ++r) some.push_back(n - 1 - 7 * r);
    for (const Layout layout : {Layout::c, Layout::csr}) {
      const Stored stored(x, d, layout, ScalarType::float64);
      base::ThreadPool pool(2);
      const kernels::ByteRows rows(stored.view(), grid, pool);
      CHECK(static_cast<double>(rows.bytes()) >= kernels::ByteRows::wanted(static_cast<double>(n), d, grid));
      const kernels::BytePoints converted(stored.view(), some.data(), 0, m, grid, pool),
          kept(stored.view(), some.data(), 0, m, {grid, &rows}, pool);
      CHECK(std::equal(kept.panels.data(), kept.panels.data() + kept.panels.size(), converted.panels.data()));
      CHECK(std::equal(kept.norms.data(), kept.norms.data() + kept.norms.size(), converted.norms.data()));
      const kernels::ByteQueries from_x(stored.view(), nullptr, 3, m, grid, n, pool),
          from_rows(stored.view(), nullptr, 3, m, {grid, &rows}, n, pool);
      CHECK(std::equal(from_rows.strips.data(), from_rows.strips.data() + from_rows.strips.size(), from_x.strips.data()));
      CHECK(std::equal(from_rows.norms.data(), from_rows.norms.data() + from_rows.norms.size(), from_x.norms.data()));
      CHECK(std::equal(from_rows.sums.data(), from_rows.sums.data() + from_rows.sums.size(), from_x.sums.data()));
    }
    Matrix off = x;
    off[40][3] = 0.5;
    const Stored stored(off, d, Layout::c, ScalarType::float64);
    base::ThreadPool pool(1);
    CHECK_THROWS_AS(kernels::ByteRows(stored.view(), grid, pool), DataError);
  }
}

TEST_CASE("bits: points are unpacked as they were, and a row of other levels is off the grid") {
  if (no_bytes_here() || !simd::has_bit_ops()) return;
  const Index n = 70, d = 45;
  Matrix x = on_grid(n, d, -1, 2, 1, 3);
  const ByteGrid grid{-1, 2, false, true};
  base::ThreadPool pool(1);
  const Stored stored(x, d, Layout::c, ScalarType::float64);
  const std::vector<float> back = kernels::BytePoints(stored.view(), nullptr, 0, n, grid, pool).unpack();
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) REQUIRE(static_cast<double>(back[i * d + k]) == x[i][k]);
  }
  x[41][40] = 3.0;
  const Stored other(x, d, Layout::c, ScalarType::float64);
  CHECK_THROWS_AS(kernels::BytePoints(other.view(), nullptr, 0, n, grid, pool), DataError);
  CHECK(QuerySet<float>(other.view(), nullptr, 0, n, Form::bytes, kernels::Term::product, nullptr, pool, grid).off_grid() ==
        std::vector<Index>{41});
}

TEST_CASE("points must be on the grid; queries that are not are named") {
  if (no_bytes_here()) return;
  Matrix x = on_grid(60, 5, 0, 1, 255, 11);
  x[7][2] = 0.5;
  x[41][0] = -3;
  const Stored stored(x, 5, Layout::c, ScalarType::float64);
  base::ThreadPool pool(1);
  CHECK_THROWS_AS(
      PointSet<float>(stored.view(), nullptr, 0, 60, Form::bytes, kernels::Term::product, nullptr, pool, ByteGrid{0, 1}),
      DataError);
  CHECK(QuerySet<float>(stored.view(), nullptr, 0, 60, Form::bytes, kernels::Term::product, nullptr, pool, ByteGrid{0, 1})
            .off_grid() == std::vector<Index>{7, 41});
}
