// Passes that couple the classes of a row, against plain loops.
#include "products/lane_pass.hpp"

#include <vector>

#include "doctest/doctest.h"
#include "products/columns.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;

namespace {

constexpr Index kRows = 700, kCols = 23;

/// f of a row's scores, which couples the classes and leaves some rows out.
template <class W>
bool couple(Index i, W* z, Index classes, double& sum) {
  W all = 0;
  for (Index k = 0; k < classes; ++k) all += z[k];
  for (Index k = 0; k < classes; ++k) z[k] -= all / static_cast<W>(classes + 1);
  sum += static_cast<double>(i % 5);
  return i % 3 != 0;
}

/// V, entries x the pass's lanes: zeros beyond the classes.
std::vector<double> vectors(const products::LanePass& pass, Index entries, Index classes) {
  std::vector<double> v(static_cast<std::size_t>(pass.size()), 0.0);
  const std::vector<double> draws = random_values(entries, classes, 1.0, 8);
  for (Index j = 0; j < entries; ++j) {
    for (Index k = 0; k < classes; ++k) v[j * pass.width() + k] = draws[j * classes + k];
  }
  return v;
}

/// sum_i x_i f_i(V'x_i)', plainly.
std::vector<double> expected(const products::Matrix& x, const std::vector<double>& v, Index width, Index classes) {
  std::vector<double> out(v.size(), 0.0);
  for (Index i = 0; i < x.rows(); ++i) {
    std::vector<double> z(static_cast<std::size_t>(width), 0.0);
    x.each(i, [&](Index j, double value) {
      for (Index k = 0; k < classes; ++k) z[k] += value * v[j * width + k];
    });
    double none = 0;
    if (!couple(i, z.data(), classes, none)) continue;
    x.each(i, [&](Index j, double value) {
      for (Index k = 0; k < classes; ++k) out[j * width + k] += value * z[k];
    });
  }
  return out;
}

double sum_of_all() {
  double sum = 0;
  for (Index i = 0; i < kRows; ++i) sum += static_cast<double>(i % 5);
  return sum;
}

template <class W, class Lines>
std::vector<double> passed(products::LanePass& pass, const Lines& lines, const std::vector<double>& v, Index classes,
                           base::ThreadPool& pool) {
  std::vector<double> out(v.size(), 7.0);  // what is there before does not count
  double sum = 0;
  CHECK(pass.run<W>(lines, v.data(), out.data(), pool, sum,
                    [&](Index i, W* z, double& total) { return couple(i, z, classes, total); }));
  CHECK(sum == sum_of_all());
  return out;
}

}  // namespace

TEST_CASE("lane passes: sums over coupled rows are the plain ones, with the same bits for any number of threads") {
  base::ThreadPool one(1), three(3);
  for (const double filled : {0.2, 0.9}) {
    for (const Index classes : {1, 4, 5, 19}) {
      CAPTURE(filled);
      CAPTURE(classes);
      const HandmadeMatrix m(kRows, kCols, filled, 1.0, one);
      products::LanePass pass(kRows, m.matrix.cols(), classes, m.matrix.stored());
      const std::vector<double> v = vectors(pass, m.matrix.cols(), classes);
      const std::vector<double> plain = expected(m.matrix, v, pass.width(), classes);
      const std::vector<double> in_double = passed<double>(pass, m.matrix, v, classes, one);
      const std::vector<double> in_float = passed<float>(pass, m.matrix, v, classes, one);
      CHECK(relative_difference(in_double, plain) < 1e-13);
      CHECK(relative_difference(in_float, plain) < 1e-5);
      CHECK(passed<double>(pass, m.matrix, v, classes, three) == in_double);
      CHECK(passed<float>(pass, m.matrix, v, classes, three) == in_float);
    }
  }
}

TEST_CASE("lane passes: what is visited are the scores of each line, once") {
  base::ThreadPool pool(3);
  const HandmadeMatrix m(kRows, kCols, 0.4, -1.0, pool);
  const Index classes = 5;
  const products::LanePass pass(kRows, kCols, classes, m.matrix.stored());
  const std::vector<double> v = vectors(pass, kCols, classes);
  std::vector<double> found(static_cast<std::size_t>(kRows * classes), 0.0), plain = found;
  pass.visit(m.matrix, v.data(), pool, [&](Index i, const double* z) {
    for (Index k = 0; k < classes; ++k) found[i * classes + k] += z[k];
  });
  for (Index i = 0; i < kRows; ++i) {
    m.matrix.each(i, [&](Index j, double value) {
      for (Index k = 0; k < classes; ++k) plain[i * classes + k] += value * v[j * pass.width() + k];
    });
  }
  CHECK(relative_difference(found, plain) < 1e-13);
}

TEST_CASE("lane passes: over columns, K = XX' times vectors of the rows") {
  base::ThreadPool pool(2);
  const HandmadeMatrix m(60, 400, 0.1, -1.0, pool);
  const products::Columns columns(m.matrix, kAmpleCap, pool);
  const Index classes = 3;
  products::LanePass pass(400, 60, classes, columns.stored());
  const std::vector<double> v = vectors(pass, 60, classes);
  std::vector<double> found(v.size()), plain(v.size(), 0.0);
  double none = 0;
  CHECK(pass.run<double>(columns, v.data(), found.data(), pool, none, [](Index, double*, double&) { return true; }));
  for (Index k = 0; k < classes; ++k) {
    std::vector<double> of_columns(400, 0.0);
    for (Index i = 0; i < 60; ++i)
      m.matrix.each(i, [&](Index j, double value) { of_columns[j] += value * v[i * pass.width() + k]; });
    for (Index i = 0; i < 60; ++i)
      m.matrix.each(i, [&](Index j, double value) { plain[i * pass.width() + k] += value * of_columns[j]; });
  }
  CHECK(relative_difference(found, plain) < 1e-13);
}

TEST_CASE("lane passes: vectors are brought into float's range, and results beyond it are said") {
  base::ThreadPool pool(1);
  const HandmadeMatrix m(kRows, kCols, 0.4, -1.0, pool);
  const Index classes = 3;
  products::LanePass pass(kRows, kCols, classes, m.matrix.stored());
  std::vector<double> v = vectors(pass, kCols, classes);
  for (double& one : v) one *= 1e60;
  std::vector<double> out(v.size());
  double none = 0;
  const auto keep = [](Index, auto*, double&) { return true; };
  CHECK(pass.run<float>(m.matrix, v.data(), out.data(), pool, none, keep));
  std::vector<double> in_double(v.size());
  CHECK(pass.run<double>(m.matrix, v.data(), in_double.data(), pool, none, keep));
  CHECK(relative_difference(out, in_double) < 1e-5);
  const auto beyond = [](Index, float* z, double&) {
    z[0] *= 1e38F;
    z[0] *= 1e38F;
    return true;
  };
  CHECK_FALSE(pass.run<float>(m.matrix, v.data(), out.data(), pool, none, beyond));
}
