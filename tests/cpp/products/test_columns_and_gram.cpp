// X by columns, the weights of several classes, and X'DX, against plain loops over X.
#include <algorithm>
#include <cmath>
#include <vector>

#include "dcsvm/errors.hpp"
#include "doctest/doctest.h"
#include "products/class_weights.hpp"
#include "products/columns.hpp"
#include "products/gram_matrix.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;

namespace {

/// Entry of X with the bias.
double entry(const HandmadeMatrix& m, Index i, Index j, double bias) {
  return j < m.matrix.features() ? m.x[i * m.matrix.features() + j] : bias;
}

/// The whole X' diag(h) X.
std::vector<double> plain_gram(const HandmadeMatrix& m, const std::vector<double>& h, double bias) {
  const Index d = m.matrix.cols();
  std::vector<double> out(d * d, 0.0);
  for (Index i = 0; i < m.matrix.rows(); ++i) {
    for (Index a = 0; a < d; ++a) {
      for (Index b = 0; b < d; ++b) out[a * d + b] += h[i] * entry(m, i, a, bias) * entry(m, i, b, bias);
    }
  }
  return out;
}

std::vector<double> lower(const std::vector<double>& whole, Index d) {
  std::vector<double> out;
  for (Index a = 0; a < d; ++a) {
    for (Index b = a; b < d; ++b) out.push_back(whole[a * d + b]);  // by columns
  }
  return out;
}

}  // namespace

TEST_CASE("columns: their values, products and sums are those of the rows") {
  base::ThreadPool pool(2);
  for (const double filled : {0.1, 0.9}) {
    const HandmadeMatrix m(300, 17, filled, 0.5, pool);
    const products::Columns columns(m.matrix, kAmpleCap, pool);
    const std::vector<double> first = random_values(300, 1, 1.0, 2), second = random_values(300, 1, 1.0, 3);
    std::vector<products::Columns::Pair> pairs;
    for (Index i = 0; i < 300; ++i) pairs.push_back({first[i], second[i]});
    for (Index j = 0; j < m.matrix.cols(); ++j) {
      double product = 0, squares = 0;
      Index last = -1;
      std::vector<double> seen(300, 0.0);
      columns.each(j, [&](Index i, double v) {
        CHECK(i > last);
        last = i;
        seen[i] = v;
      });
      for (Index i = 0; i < 300; ++i) {
        const double v = entry(m, i, j, 0.5);
        CHECK(seen[i] == v);
        product += v * first[i];
        squares += v * v * second[i];
      }
      CHECK(columns.dot(j, first.data()) == doctest::Approx(product).epsilon(1e-12));
      const products::Columns::Pair sums = columns.sums(j, pairs.data());
      CHECK(sums.first == doctest::Approx(product).epsilon(1e-12));
      CHECK(sums.second == doctest::Approx(squares).epsilon(1e-12));
    }
  }
  const HandmadeMatrix large(3000, 50, 0.9, -1.0, pool);
  CHECK_THROWS_AS(products::Columns(large.matrix, 1000, pool), CapError);
}

TEST_CASE("class weights: scores and changes in every layout") {
  base::ThreadPool pool(1);
  for (const Index cols : {5, 40}) {  // 40 dense features: class after class
    for (const double filled : {0.15, 1.0}) {
      for (const Index classes : {2, 3, 4, 5, 9}) {
        CAPTURE(cols);
        CAPTURE(filled);
        CAPTURE(classes);
        const HandmadeMatrix m(60, cols, filled, 1.0, pool);
        products::ClassWeights w(m.matrix, classes);
        std::vector<double> plain(m.matrix.cols() * classes, 0.0), a(w.lanes(), 0.0), out(w.lanes());
        for (Index i = 0; i < 60; ++i) {
          const std::vector<double> change = random_values(classes, 1, i % 2 == 0 ? 1.0 : 0.3, 10 + i);  // all, or few
          std::copy(change.begin(), change.end(), a.begin());
          w.add(m.matrix, i, a.data());
          for (Index j = 0; j < m.matrix.cols(); ++j) {
            for (Index k = 0; k < classes; ++k) plain[j * classes + k] += change[k] * entry(m, i, j, 1.0);
          }
        }
        double norm2 = 0, most = 0;
        for (Index j = 0; j < m.matrix.cols(); ++j) {
          for (Index k = 0; k < classes; ++k) {
            most = std::max(most, std::abs(w(j, k) - plain[j * classes + k]));
            norm2 += plain[j * classes + k] * plain[j * classes + k];
          }
        }
        CHECK(most < 1e-13);
        CHECK(w.norm2() == doctest::Approx(norm2).epsilon(1e-12));
        w.scale(2.0);
        w.scores(m.matrix, 7, out.data());
        for (Index k = 0; k < classes; ++k) {
          double score = 0;
          for (Index j = 0; j < m.matrix.cols(); ++j) score += 2.0 * plain[j * classes + k] * entry(m, 7, j, 1.0);
          CHECK(out[k] == doctest::Approx(score).epsilon(1e-12));
        }
        w.clear();
        CHECK(w.norm2() == 0.0);
      }
    }
  }
}

TEST_CASE("X'DX: in double to the last digits, on tiles to those of float, whatever the threads") {
  base::ThreadPool one(1), three(3);
  for (const double filled : {0.2, 1.0}) {
    for (const Index cols : {6, 33}) {
      CAPTURE(filled);
      CAPTURE(cols);
      const HandmadeMatrix m(500, cols, filled, 0.5, one);
      const Index d = m.matrix.cols();
      const std::vector<double> h = random_values(500, 1, 0.7, 4);
      std::vector<Index> rows;
      std::vector<double> weights;
      for (Index i = 0; i < 500; ++i) {
        if (h[i] == 0) continue;
        rows.push_back(i);
        weights.push_back(h[i]);
      }
      const std::vector<double> plain = lower(plain_gram(m, h, 0.5), d);
      products::TileRows scratch;
      for (const bool in_float : {false, true}) {
        products::GramMatrix gram(m.matrix, 2), again(m.matrix, 2);
        gram.clear();
        again.clear();
        CHECK(gram.add(rows, weights, in_float, scratch, one));
        CHECK(again.add(rows, weights, in_float, scratch, three));
        CHECK(relative_difference(lower(gram.values(), d), plain) < (in_float ? 1e-5 : 1e-13));
        CHECK(lower(again.values(), d) == lower(gram.values(), d));
      }
    }
  }
}

TEST_CASE("X'DX that is held: rows whose curvature has hardly changed stay as they are, others are summed anew") {
  base::ThreadPool pool(1);
  const HandmadeMatrix m(400, 9, 1.0, -1.0, pool);
  products::HeldGram held(m.matrix, 1, false);
  products::TileRows scratch;
  std::vector<double> h(400, 1.0), out;
  held.symmetric(h, scratch, pool, out);
  CHECK(relative_difference(out, plain_gram(m, h, -1.0)) < 1e-13);
  CHECK(held.exact(h));
  for (Index i = 0; i < 400; ++i) h[i] = i % 4 == 0 ? 3.0 : 1.0 + 1e-3;
  held.symmetric(h, scratch, pool, out);
  CHECK(!held.exact(h));
  std::vector<double> nearly(h);
  for (double& v : nearly) v = v > 2.0 ? 3.0 : 1.0;
  CHECK(relative_difference(out, plain_gram(m, nearly, -1.0)) < 1e-12);
}
