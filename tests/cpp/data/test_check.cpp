#include "data/check.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string message(const DataView& x, int threads = 1, const char* name = "X") {
  base::ThreadPool pool(threads);
  try {
    data::check_data(x, pool, name);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

// A CSR matrix with its arrays; T, I, P as CsrView allows.
template <class T, class I, class P>
struct Csr {
  std::vector<T> values;
  std::vector<I> indices;
  std::vector<P> indptr;
  Index cols;

  DataView view() const {
    return CsrView{values.data(),
                   sizeof(T) == 4 ? ScalarType::float32 : ScalarType::float64,
                   indices.data(),
                   indptr.data(),
                   sizeof(I) == 4 ? IndexType::int32 : IndexType::int64,
                   sizeof(P) == 4 ? IndexType::int32 : IndexType::int64,
                   static_cast<Index>(indptr.size()) - 1,
                   cols};
  }
};

}  // namespace

TEST_CASE_TEMPLATE("check_data names the first bad value of a dense matrix", T, float, double) {
  const Index rows = 3000, cols = 53;
  std::vector<T> a(rows * cols);
  base::Random random(1);
  for (T& v : a) v = static_cast<T>(random.uniform() - 0.5);
  a[5] = std::numeric_limits<T>::max();
  a[6] = std::numeric_limits<T>::lowest();
  a[7] = std::numeric_limits<T>::denorm_min();
  a[8] = T(-0.0);
  const DataView c_order = dense(a.data(), rows, cols);
  DenseView f_order = dense(a.data(), rows, cols);
  f_order.row_stride = 1;
  f_order.col_stride = rows;
  DenseView odd = dense(a.data(), rows / 2, cols / 2);  // every other row and column
  odd.row_stride = 2 * cols;
  odd.col_stride = 2;
  DenseView reversed = dense(a.data() + (rows - 1) * cols, rows, cols);
  reversed.row_stride = -cols;
  for (const DataView& x : {c_order, DataView(f_order), DataView(odd), DataView(reversed)}) CHECK(message(x) == "");

  for (int round = 0; round < 60; ++round) {
    std::vector<T> bad = a;
    for (int k = 0; k < 3; ++k) {
      const T what[] = {T(kNan), T(kInf), T(-kInf)};
      bad[random.below(rows * cols)] = what[random.below(3)];
    }
    for (DenseView x : {std::get<DenseView>(c_order), f_order, odd, reversed}) {
      x.data = bad.data() + (static_cast<const T*>(x.data) - a.data());
      std::string expected;  // the slow twin
      for (Index i = 0; i < x.rows && expected.empty(); ++i) {
        for (Index j = 0; j < x.cols && expected.empty(); ++j) {
          const T v = static_cast<const T*>(x.data)[i * x.row_stride + j * x.col_stride];
          if (std::isfinite(v)) continue;
          expected = std::string("X has ") + (std::isnan(v) ? "NaN" : "infinity") + " at row " + std::to_string(i) + ", column " +
                     std::to_string(j);
        }
      }
      for (const int threads : {1, 2, 5}) CHECK(message(x, threads) == expected);
    }
  }
}

TEST_CASE("check_data refuses empty and missing data") {
  const double v = 0;
  CHECK(message(dense(&v, 0, 3)) == "X is empty: 0 rows, 3 columns");
  CHECK(message(dense(&v, 3, 0), 1, "K") == "K is empty: 3 rows, 0 columns");
  CHECK(message(dense(&v, -2, 3)) == "X has a negative size: -2 rows, 3 columns");
  CHECK(message(dense(static_cast<const double*>(nullptr), 2, 2)) == "X has no data (null pointer)");
  CHECK(message(CsrView{}) == "X is empty: 0 rows, 0 columns");
  CsrView csr;
  csr.rows = csr.cols = 1;
  CHECK(message(csr) == "X has no data (null pointer)");
  const std::int32_t indptr[] = {0, 1};
  csr.indptr = indptr;
  CHECK(message(csr) == "X has no data (null pointer)");
  const std::int32_t none[] = {0, 0};
  csr.indptr = none;  // a row without entries needs no arrays
  CHECK(message(csr) == "");
}

TEST_CASE_TEMPLATE("check_data names what is wrong in a CSR matrix", M, Csr<float, std::int32_t, std::int32_t>,
                   Csr<float, std::int32_t, std::int64_t>, Csr<float, std::int64_t, std::int32_t>,
                   Csr<float, std::int64_t, std::int64_t>, Csr<double, std::int32_t, std::int32_t>,
                   Csr<double, std::int32_t, std::int64_t>, Csr<double, std::int64_t, std::int32_t>,
                   Csr<double, std::int64_t, std::int64_t>) {
  const M good{{1, 2, 3, 4, 5}, {0, 4, 2, 1, 3}, {0, 2, 2, 3, 5}, 5};
  CHECK(message(good.view()) == "");
  M m = good;
  m.indptr[0] = 1;
  CHECK(message(m.view()) == "X: indptr must start at 0, got 1");
  m = good;
  m.indptr[2] = 4;
  CHECK(message(m.view()) == "X: indptr decreases at row 2 (from 4 to 3)");
  m = good;
  m.indptr[1] = 1000000000;  // must be refused before anything is read there
  CHECK(message(m.view()) == "X: indptr decreases at row 1 (from 1000000000 to 2)");
  m = good;
  m.indptr[1] = -3;
  CHECK(message(m.view()) == "X: indptr decreases at row 0 (from 0 to -3)");
  m = good;
  m.indices[4] = 5;
  CHECK(message(m.view()) == "X: row 3 has column index 5, out of range for 5 columns");
  m = good;
  m.indices[0] = -1;
  CHECK(message(m.view()) == "X: row 0 has column index -1, out of range for 5 columns");
  m = good;
  m.indices[3] = 3;
  CHECK(message(m.view()) == "X: row 3 has duplicate column 3: give each column of a row once, with the sum of its values");
  m.indices[3] = 4;
  CHECK(message(m.view()) == "X: row 3 has unsorted columns: 3 after 4; sort each row by columns");
  m = good;
  m.values[2] = static_cast<std::decay_t<decltype(m.values[2])>>(kNan);
  CHECK(message(m.view()) == "X has NaN at row 2, column 2");
  m.values[1] = static_cast<std::decay_t<decltype(m.values[1])>>(-kInf);
  CHECK(message(m.view()) == "X has infinity at row 0, column 4");
}

TEST_CASE("check_data finds the first of several CSR errors whatever the number of threads") {
  Csr<double, std::int32_t, std::int64_t> m;
  m.cols = 1000;
  m.indptr.push_back(0);
  base::Random random(2);
  const Index rows = 60000;
  for (Index i = 0; i < rows; ++i) {
    for (std::int32_t c = static_cast<std::int32_t>(random.below(300)); c < 1000;
         c += 1 + static_cast<std::int32_t>(random.below(300))) {
      m.indices.push_back(c);
      m.values.push_back(random.uniform());
    }
    m.indptr.push_back(static_cast<std::int64_t>(m.values.size()));
  }
  for (const int threads : {1, 3}) CHECK(message(m.view(), threads) == "");
  const auto entry = [&](Index row) { return static_cast<std::size_t>(m.indptr[row]); };
  m.values[entry(50001)] = kNan;
  m.indices[entry(40001)] = 1000;
  m.indices[entry(39999)] = -7;
  for (const int threads : {1, 2, 3, 7}) {
    CHECK(message(m.view(), threads) == "X: row 39999 has column index -7, out of range for 1000 columns");
  }
}

TEST_CASE("check_labels wants finite labels of two classes") {
  const auto labels = [](const std::vector<double>& y) {
    return message_of([&] { data::check_labels(y.data(), static_cast<Index>(y.size())); });
  };
  CHECK(labels({1, -1}) == "");
  CHECK(labels({0.5, 0.5, 0.25}) == "");
  CHECK(labels({}) == "y is empty");
  CHECK(labels({3, 3, 3}) == "y has one class only (3)");
  CHECK(labels({0.1}) == "y has one class only (0.1)");
  CHECK(labels({0.0, -0.0}) == "y has one class only (0)");
  CHECK(labels({1, kNan, kInf}) == "y has NaN at row 1");
  CHECK(labels({1, 2, -kInf}) == "y has infinity at row 2");
}

TEST_CASE("check_weights wants finite weights that are not negative") {
  const auto weights = [](const std::vector<double>& w) {
    return message_of([&] { data::check_weights(w.data(), static_cast<Index>(w.size())); });
  };
  CHECK(weights({0, 1, 0.5}) == "");
  CHECK(weights({1, -0.5}) == "sample_weight is negative at row 1 (-0.5)");
  CHECK(weights({1, 1, kInf}) == "sample_weight has infinity at row 2");
  CHECK(weights({kNan}) == "sample_weight has NaN at row 0");
}

TEST_CASE("a row_stride that was forgotten is an error") {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  DenseView x = dense(values.data(), 3, 2);
  CHECK(message(x) == "");
  x.row_stride = 0;
  CHECK(message(x).find("row_stride is 0") != std::string::npos);
  x.rows = 1;
  CHECK(message(x) == "");
}
