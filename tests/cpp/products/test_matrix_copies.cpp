// Copies of a matrix: some of its rows, and a smaller one, entry by entry.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "products/matrices.hpp"
#include "products/matrix.hpp"

using namespace dcsvm;
using namespace dcsvm::test;
using products::Matrix;

namespace {

std::vector<double> row_of(const Matrix& x, Index i) {
  std::vector<double> row(static_cast<std::size_t>(x.cols()), 0.0);
  x.each(i, [&](Index j, double v) { row[j] = v; });
  return row;
}

/// One row, values at the given columns.
struct OneRow {
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> indptr;
  OneRow(std::vector<double> v, std::vector<std::int32_t> c)
      : values(std::move(v)), columns(std::move(c)), indptr{0, static_cast<std::int64_t>(values.size())} {}
  CsrView view(Index cols) const {
    return {values.data(), ScalarType::float64, columns.data(), indptr.data(), IndexType::int32, IndexType::int64, 1, cols};
  }
};

}  // namespace

TEST_CASE("a copy of some rows has their values, in any order and as often as they are named, in every layout") {
  base::ThreadPool pool(2);
  for (const double filled : {0.05, 1.0}) {
    for (const bool floats : {false, true}) {
      std::vector<double> values = random_values(30, 40, filled, 3);
      if (floats) {
        for (double& v : values) v = static_cast<double>(static_cast<float>(v));
      }
      const Matrix x(DenseView{values.data(), ScalarType::float64, 30, 40, 40, 1}, 1.0, kAmpleCap, pool);
      REQUIRE(x.dense() == (filled == 1.0));
      REQUIRE(x.has_floats() == floats);
      const std::vector<Index> rows{29, 0, 7, 7, 3};
      const auto taken = x.take(rows, kAmpleCap);
      REQUIRE(taken);
      CHECK(taken->rows() == 5);
      CHECK(taken->cols() == 41);
      for (std::size_t r = 0; r < rows.size(); ++r) CHECK(row_of(*taken, static_cast<Index>(r)) == row_of(x, rows[r]));
      const std::vector<double> w = random_values(1, 41, 1.0, 8);
      std::vector<double> z(5), whole(30);
      taken->product(w.data(), z.data(), pool);
      x.product(w.data(), whole.data(), pool);
      for (std::size_t r = 0; r < rows.size(); ++r) CHECK(z[r] == whole[rows[r]]);
      CHECK(x.take({}, kAmpleCap)->rows() == 0);
      CHECK(x.take(rows, x.bytes() + 12) == nullptr);  // no room for five rows
    }
  }
}

TEST_CASE("a smaller copy has the same entries, rounded to float where that is allowed") {
  base::ThreadPool pool(2);
  const HandmadeMatrix m(30, 400, 0.02, 1.0, pool);
  REQUIRE_FALSE(m.matrix.dense());
  CHECK(m.matrix.compact(false, kAmpleCap, pool) == nullptr);  // values would be rounded
  const auto small = m.matrix.compact(true, kAmpleCap, pool);
  REQUIRE(small);
  for (Index i = 0; i < 30; ++i) {
    std::vector<double> rounded = row_of(m.matrix, i);
    for (double& v : rounded) v = static_cast<double>(static_cast<float>(v));
    CHECK(row_of(*small, i) == rounded);
  }
  CHECK(m.matrix.compact(true, m.matrix.bytes(), pool) == nullptr);
  const HandmadeMatrix dense(10, 4, 1.0, -1.0, pool);
  CHECK(dense.matrix.compact(true, kAmpleCap, pool) == nullptr);
}

TEST_CASE("a smaller copy keeps columns up to 65535 in 16 bits, and refuses values beyond float's range") {
  base::ThreadPool pool(1);
  const OneRow last({1.5, -2.0}, {0, 65535});
  const Matrix narrow(last.view(65536), -1.0, kAmpleCap, pool), wide(last.view(65537), -1.0, kAmpleCap, pool);
  REQUIRE(narrow.has_floats());
  const auto small = narrow.compact(false, kAmpleCap, pool);
  REQUIRE(small);
  CHECK(row_of(*small, 0) == row_of(narrow, 0));
  CHECK(wide.compact(false, kAmpleCap, pool) == nullptr);  // floats already, and columns need 32 bits
  for (const double extreme : {1e31, 1e-31}) {
    const OneRow far({0.1, extreme}, {3, 9});
    const Matrix x(far.view(100), -1.0, kAmpleCap, pool);
    CHECK(x.compact(true, kAmpleCap, pool) == nullptr);
  }
}
