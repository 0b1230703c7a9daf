#include "data/read.hpp"

#include <cmath>
#include <vector>

#include "doctest/doctest.h"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using twin::Layout;
using twin::Matrix;
using twin::Stored;

namespace {

// All ways in which the same numbers can be stored.
std::vector<Stored> storages(const Matrix& x, Index cols) {
  std::vector<Stored> list;
  for (const ScalarType scalar : {ScalarType::float32, ScalarType::float64}) {
    for (const Layout layout : {Layout::c, Layout::fortran, Layout::csr}) list.emplace_back(x, cols, layout, scalar);
    list.emplace_back(x, cols, Layout::csr, scalar, true);
  }
  return list;
}

}  // namespace

TEST_CASE_TEMPLATE("copy_rows: any storage, any rows, with and without a shift, gaps untouched", T, float, double) {
  const Index n = 13, d = 7, ld = 9;
  const Matrix x = twin::random_matrix(n, d, 1, 0.5);
  const std::vector<Index> idx{12, 0, 3, 3, 7};
  const auto m = static_cast<Index>(idx.size());
  std::vector<double> shift;
  for (Index k = 0; k < d; ++k) shift.push_back(0.25 * static_cast<double>(k));
  for (const Stored& stored : storages(x, d)) {
    for (const bool shifted : {false, true}) {
      for (const bool listed : {false, true}) {
        std::vector<T> out(m * ld, T(-9));
        data::copy_rows<T>(stored.view(), listed ? idx.data() : nullptr, 4, m, out.data(), ld, shifted ? shift.data() : nullptr);
        for (Index r = 0; r < m; ++r) {
          const auto& row = x[listed ? idx[r] : 4 + r];
          for (Index k = 0; k < d; ++k) {
            CHECK(out[r * ld + k] == static_cast<T>(row[k] - (shifted ? shift[k] : 0.0)));
          }
          for (Index k = d; k < ld; ++k) CHECK(out[r * ld + k] == T(-9));
        }
      }
    }
  }
}

TEST_CASE("copy_rows: every other row and column, backwards, and one row repeated") {
  const Index rows = 6, cols = 8;
  std::vector<double> a;
  for (Index e = 0; e < rows * cols; ++e) a.push_back(static_cast<double>(e));
  DenseView view = dense(a.data() + (rows - 1) * cols + 1, 3, 4);
  view.row_stride = -2 * cols;
  view.col_stride = 2;
  std::vector<double> out(12);
  data::copy_rows<double>(view, nullptr, 0, 3, out.data(), 4);
  CHECK(out == std::vector<double>{41, 43, 45, 47, 25, 27, 29, 31, 9, 11, 13, 15});
  view.row_stride = 0;
  data::copy_rows<double>(view, nullptr, 0, 3, out.data(), 4);
  CHECK(out == std::vector<double>{41, 43, 45, 47, 41, 43, 45, 47, 41, 43, 45, 47});
}

TEST_CASE_TEMPLATE("copy_sparse_rows keeps the stored entries of the rows asked for", T, float, double) {
  const Index n = 11, d = 30;
  Matrix x = twin::random_matrix(n, d, 2, 0.7);
  x[4].assign(d, 0.0);  // an empty row
  const std::vector<Index> idx{4, 10, 0, 4};
  for (const bool wide : {false, true}) {
    for (const ScalarType scalar : {ScalarType::float32, ScalarType::float64}) {
      const Stored stored(x, d, Layout::csr, scalar, wide);
      const auto out = data::copy_sparse_rows<T>(std::get<CsrView>(stored.view()), idx.data(), 0, 4);
      REQUIRE(out.indptr.size() == 5);
      CHECK(out.indptr[0] == 0);
      CHECK(out.indptr[1] == 0);
      for (std::size_t r = 0; r < 4; ++r) {
        std::vector<double> row(d, 0.0);
        for (Index t = out.indptr[r]; t < out.indptr[r + 1]; ++t) row[out.indices[t]] = static_cast<double>(out.values[t]);
        CHECK(row == x[idx[r]]);
      }
    }
  }
}

TEST_CASE("column_sums and stored_values see every storage alike") {
  const Index n = 21, d = 6;
  const Matrix x = twin::random_matrix(n, d, 3, 0.4);
  Index nonzeros = 0;
  for (const auto& row : x) {
    for (const double v : row) nonzeros += v != 0.0;
  }
  for (const Stored& stored : storages(x, d)) {
    const bool sparse = std::holds_alternative<CsrView>(stored.view());
    CHECK(data::stored_values(stored.view()) == (sparse ? nonzeros : n * d));
    std::vector<double> sums(d, 1.0), squares(static_cast<std::size_t>(d), 2.0), alone(static_cast<std::size_t>(d), 1.0);
    data::column_sums(stored.view(), 5, 17, sums.data(), squares.data());
    data::column_sums(stored.view(), 5, 17, alone.data(), nullptr);
    CHECK(alone == sums);
    for (Index k = 0; k < d; ++k) {
      double s = 1, s2 = 2;
      for (Index i = 5; i < 17; ++i) s += x[i][k], s2 += x[i][k] * x[i][k];
      CHECK(sums[k] == s);
      CHECK(squares[k] == s2);
    }
  }
}
