// Products with several vectors at once against those with one.
#include "products/several_vectors.hpp"

#include <vector>

#include "base/call.hpp"
#include "base/random.hpp"
#include "doctest/doctest.h"
#include "products/lane_pass.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;
using products::ConstVectors;
using products::Vectors;

namespace {

std::vector<std::vector<double>> several(std::size_t number, Index size, std::uint64_t seed) {
  std::vector<std::vector<double>> out;
  for (std::size_t k = 0; k < number; ++k) out.push_back(random_values(size, 1, 0.8, seed + k));
  return out;
}

ConstVectors reading(const std::vector<std::vector<double>>& v) {
  ConstVectors out;
  for (const auto& one : v) out.push_back(one.data());
  return out;
}
Vectors writing(std::vector<std::vector<double>>& v) {
  Vectors out;
  for (auto& one : v) out.push_back(one.data());
  return out;
}

}  // namespace

TEST_CASE("products with several vectors are those with each, whatever the threads") {
  base::ThreadPool one(1), three(3);
  for (const double filled : {0.1, 0.9}) {  // sparse and dense
    for (const double bias : {-1.0, 0.5}) {
      for (const std::size_t number : {2, 5, 16, 32}) {
        CAPTURE(filled);
        CAPTURE(bias);
        CAPTURE(number);
        const HandmadeMatrix c(700, 37, filled, bias, one);
        const products::Matrix& x = c.matrix;
        REQUIRE(x.dense() == (filled > 0.5));
        const auto w = several(number, x.cols(), 10), d = several(number, x.rows(), 50);
        auto h = several(number, x.rows(), 90);
        for (auto& v : h) {
          for (double& e : v) e = std::abs(e);
        }
        auto z = several(number, x.rows(), 0), z3 = z, g = several(number, x.cols(), 0), g3 = g, q = g, q3 = g, s = g, s3 = g;
        products::row_products(x, reading(w), writing(z), one);
        products::row_products(x, reading(w), writing(z3), three);
        products::transposed_products(x, reading(d), writing(g), one);
        products::transposed_products(x, reading(d), writing(g3), three);
        products::curvature_products(x, reading(h), reading(w), writing(q), one);
        products::curvature_products(x, reading(h), reading(w), writing(q3), three);
        products::hessian_diagonals(x, reading(h), writing(s), one);
        products::hessian_diagonals(x, reading(h), writing(s3), three);
        CHECK(z == z3);
        CHECK(g == g3);
        CHECK(q == q3);
        CHECK(s == s3);
        for (std::size_t k = 0; k < number; ++k) {
          std::vector<double> to_rows(x.rows()), to_columns(x.cols());
          x.product(w[k].data(), to_rows.data(), one);
          CHECK(relative_difference(z[k], to_rows) < 1e-13);
          x.transposed(d[k].data(), to_columns.data(), one);
          CHECK(relative_difference(g[k], to_columns) < 1e-13);
          x.curvature(h[k].data(), w[k].data(), to_columns.data(), one);
          CHECK(relative_difference(q[k], to_columns) < 1e-5);  // in float where X is sparse
          x.squares(h[k].data(), to_columns.data(), one);
          CHECK(relative_difference(s[k], to_columns) < 1e-13);
        }
      }
    }
  }
}

TEST_CASE("products of directions that leave the range of float are computed in double") {
  base::ThreadPool pool(1);
  const HandmadeMatrix c(300, 20, 0.2, -1.0, pool);
  std::vector<double> scaled = c.x;
  for (double& v : scaled) v *= 1e25;
  const products::Matrix x(DenseView{scaled.data(), ScalarType::float64, 300, 20, 20, 1}, -1.0, kAmpleCap, pool);
  const auto w = several(3, 20, 1), h = several(3, 300, 2);
  auto q = several(3, 20, 0);
  products::curvature_products(x, reading(h), reading(w), writing(q), pool);
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> alone(20);
    x.curvature(h[k].data(), w[k].data(), alone.data(), pool);
    CHECK(relative_difference(q[k], alone) < 1e-5);
  }
}

TEST_CASE("a sum over rows and all classes is the plain one, with the same bits for any number of threads") {
  base::ThreadPool one(1), three(3);
  for (const Index classes : {1, 4, 5, 19}) {
    CAPTURE(classes);
    const HandmadeMatrix m(700, 23, 0.4, 1.0, one);
    const products::LanePass pass(700, m.matrix.cols(), classes, m.matrix.stored());
    std::vector<double> v(static_cast<std::size_t>(pass.size()), 0.0);
    const std::vector<double> draws = random_values(m.matrix.cols(), classes, 1.0, 8);
    for (Index j = 0; j < m.matrix.cols(); ++j) {
      for (Index k = 0; k < classes; ++k) v[j * pass.width() + k] = draws[j * classes + k];
    }
    const auto term = [&](Index i, const double* z) {
      double sum = 0;
      for (Index k = 0; k < classes; ++k) sum += static_cast<double>(i % 7 + k) * z[k] * z[k];
      return sum;
    };
    double plain = 0;
    for (Index i = 0; i < 700; ++i) {
      std::vector<double> z(static_cast<std::size_t>(classes), 0.0);
      m.matrix.each(i, [&](Index j, double x) {
        for (Index k = 0; k < classes; ++k) z[k] += x * draws[j * classes + k];
      });
      plain += term(i, z.data());
    }
    const double found = pass.sum(m.matrix, v.data(), one, term);
    CHECK(found == doctest::Approx(plain).epsilon(1e-12));
    CHECK(pass.sum(m.matrix, v.data(), three, term) == found);
  }
}
