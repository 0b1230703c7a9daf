// The parts of DC-Pred++ against slow, obvious twins, and Lemma 1 of dcpred.
#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/QR>

#include "clustering/weighted_kmeans.hpp"
#include "dc_pred/leaf_features.hpp"
#include "dc_pred/leaf_fit.hpp"
#include "dc_pred/pseudo_landmarks.hpp"
#include "dc_pred/refine_landmarks.hpp"
#include "dc_pred/split_tree.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;
using namespace dcsvm::dc_pred;
using dcsvm::clustering::weighted_kmeans;
using dcsvm::data::DenseRows;
using dcsvm::data::padded;

namespace {

struct Cloud {
  Index n, d;
  std::vector<float> x, norms;

  Cloud(Index n_, Index d_, std::uint64_t seed)
      : n(n_), d(d_), x(static_cast<std::size_t>(n_ * padded(d_)), 0.0F), norms(static_cast<std::size_t>(n_), 0.0F) {
    base::Random random(seed);
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < d; ++k) {
        const auto v = static_cast<float>(2 * random.uniform() - 1);
        x[i * padded(d) + k] = v;
        norms[i] += v * v;
      }
    }
  }
  DenseRows rows() const { return {x.data(), norms.data(), n, d, padded(d)}; }
};

double distance(const DenseRows& rows, Index i, const float* u) {
  double sum = 0;
  for (Index k = 0; k < rows.d; ++k) sum += std::pow(double{rows.row(i)[k]} - double{u[k]}, 2);
  return std::sqrt(sum);
}

KernelParams rbf(double gamma) {
  KernelParams kernel;
  kernel.type = KernelType::rbf;
  kernel.gamma = gamma;
  return kernel;
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix kernel_of(const DenseRows& rows, double gamma) {
  Matrix g(rows.n, rows.n);
  for (Index i = 0; i < rows.n; ++i) {
    for (Index j = 0; j < rows.n; ++j) g(i, j) = std::exp(-gamma * std::pow(distance(rows, i, rows.row(j)), 2));
  }
  return g;
}

std::vector<double> flat(const Matrix& m) { return {m.data(), m.data() + m.size()}; }

double error_of(const Matrix& c, const Matrix& g) {
  const WeightFactor f = weight_factor(flat(c), c.cols(), flat(g));
  const Eigen::Map<const Matrix> factor(f.values.data(), f.k, f.cols);
  const Matrix mapped = c * factor;
  return (g - mapped * mapped.transpose()).norm();
}

}  // namespace

TEST_CASE("features of a leaf are kernel values, bounds by the triangle inequality, and products") {
  for (const Index d : {1, 5, 16, 37}) {
    const Cloud cloud(60, d, 3);
    const Cloud centres(9, d, 4);
    const double gamma = 0.7;
    for (const auto kind : {PseudoLandmarks::triangle_lower, PseudoLandmarks::triangle_upper, PseudoLandmarks::polynomial}) {
      LeafBasis basis = make_basis(centres.x, 9, d, padded(d), 0.7F);
      base::Random random(5);
      std::vector<Index> all(60);
      for (Index i = 0; i < 60; ++i) all[i] = i;
      add_pseudo(kind, 20, cloud.rows(), all, random, basis);
      REQUIRE(basis.p == 20);
      base::Random again(5);
      const auto chosen = base::sample(all, 20, again);
      const auto features = feature_matrix(feature_kind(rbf(gamma), kind), basis, cloud.rows());
      for (Index i = 0; i < 60; ++i) {
        const double* row = features.data() + i * 29;
        std::vector<double> r(9);
        for (Index j = 0; j < 9; ++j) {
          r[j] = distance(cloud.rows(), i, centres.rows().row(j));
          CHECK(row[j] == doctest::Approx(std::exp(-gamma * r[j] * r[j])).epsilon(1e-5));
        }
        for (Index t = 0; t < 20; ++t) {
          if (kind == PseudoLandmarks::polynomial) {
            CHECK(row[9 + t] == doctest::Approx(row[basis.pairs[2 * t]] * row[basis.pairs[2 * t + 1]]).epsilon(1e-6));
            continue;
          }
          const float* v = cloud.rows().row(chosen[t]);
          const double truth = std::exp(-gamma * std::pow(distance(cloud.rows(), i, v), 2));
          if (kind == PseudoLandmarks::triangle_lower) {
            CHECK(row[9 + t] >= truth * (1 - 1e-4));  // a lower bound of the distance
          } else {
            CHECK(row[9 + t] <= truth * (1 + 1e-4));
          }
          double bound = kind == PseudoLandmarks::triangle_lower ? 0.0 : 1e30;
          for (Index j = 0; j < 9; ++j) {
            const double b = distance(centres.rows(), j, v);
            bound = kind == PseudoLandmarks::triangle_lower ? std::max(bound, std::abs(r[j] - b)) : std::min(bound, r[j] + b);
          }
          CHECK(row[9 + t] == doctest::Approx(std::exp(-gamma * bound * bound)).epsilon(1e-4));
        }
      }
    }
  }
}

TEST_CASE("Lemma 1: all products approximate the kernel at least as well as any polynomials of degree 2 of the same values") {
  const Cloud cloud(80, 4, 1);
  const Matrix g = kernel_of(cloud.rows(), 1.0);
  const Index m = 4;
  const Matrix c = g.leftCols(m);  // landmarks: the first rows
  base::Random random(2);
  Matrix polynomials(80, m + 5), basis(80, m + m * (m + 1) / 2);
  polynomials.leftCols(m) = basis.leftCols(m) = c;
  Index column = m;
  for (Index i = 0; i < m; ++i) {
    for (Index j = i; j < m; ++j) basis.col(column++) = c.col(i).cwiseProduct(c.col(j));
  }
  for (Index t = 0; t < 5; ++t) {
    Eigen::VectorXd f = Eigen::VectorXd::Zero(80);
    for (Index q = m; q < basis.cols(); ++q) f += (random.uniform() - 0.5) * basis.col(q);
    polynomials.col(m + t) = f;
  }
  CHECK(error_of(basis, g) <= error_of(polynomials, g) * (1 + 1e-9));
  CHECK(error_of(polynomials, g) <= error_of(c, g) * (1 + 1e-9));
  CHECK(error_of(basis, g) < 0.9 * error_of(c, g));
}

TEST_CASE("Eq. (5) is the best W in Frobenius norm, also of columns that depend on each other") {
  const Cloud cloud(50, 3, 8);
  const Matrix g = kernel_of(cloud.rows(), 0.5);
  Matrix c(50, 5);
  c << g.leftCols(4), g.col(0) + g.col(1);
  const Matrix q = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(g.leftCols(4)).householderQ() * Eigen::MatrixXd::Identity(50, 4);
  const double best = (g - q * (q.transpose() * g * q) * q.transpose()).norm();  // the projection onto the same range
  CHECK(error_of(c, g) == doctest::Approx(best).epsilon(1e-6));
}

TEST_CASE("the linear fit has no gradient left") {
  const Index n = 120, k = 6;
  const Cloud cloud(n, k, 6);
  std::vector<double> f, y, C;
  base::Random random(9);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < k; ++j) f.push_back(double{cloud.rows().row(i)[j]});
    y.push_back(f[i * k] + 0.5 * random.uniform() > 0.2 ? 1.0 : -1.0);
    C.push_back(0.5 + random.uniform());
  }
  for (const bool intercept : {true, false}) {
    LinearFit fit;
    fit.features = f.data();
    fit.n = n;
    fit.k = k;
    fit.targets = y.data();
    fit.C = C.data();
    fit.fit_intercept = intercept;
    fit.tol = 1e-6;
    const auto w = fit_linear(fit);
    std::vector<double> g(w.begin(), w.end());
    g[k] = 0;
    for (Index i = 0; i < n; ++i) {
      double value = intercept ? w[k] : 0.0;
      for (Index j = 0; j < k; ++j) value += w[j] * f[i * k + j];
      const double short_of = std::max(0.0, 1 - y[i] * value);
      for (Index j = 0; j < k; ++j) g[j] -= 2 * C[i] * short_of * y[i] * f[i * k + j];
      if (intercept) g[k] -= 2 * C[i] * short_of * y[i];
    }
    for (const double v : g) CHECK(std::abs(v) < 1e-4);
  }
}

TEST_CASE("weighted k-means: rows of weight 0 do not count, and a heavy row keeps a centre") {
  const Cloud cloud(200, 3, 12);
  std::vector<double> weight(200, 0.0);
  for (Index i = 0; i < 50; ++i) weight[i] = 1.0;
  weight[7] = 1e6;
  base::Random random(1);
  const auto centres = weighted_kmeans(cloud.rows(), weight, 5, 20, random);
  REQUIRE(centres.size() == static_cast<std::size_t>(5 * padded(3)));
  double nearest = 1e30;
  for (Index c = 0; c < 5; ++c) nearest = std::min(nearest, distance(cloud.rows(), 7, centres.data() + c * padded(3)));
  CHECK(nearest < 1e-2);
  base::Random other(1);
  std::vector<double> one(200, 0.0);
  one[3] = 1;
  CHECK(weighted_kmeans(cloud.rows(), one, 5, 20, other).size() == static_cast<std::size_t>(padded(3)));
  CHECK(weighted_kmeans(cloud.rows(), std::vector<double>(200, 0.0), 5, 20, other).empty());
  CHECK(weighted_kmeans(cloud.rows(), std::vector<double>(200, std::nan("")), 5, 20, other).empty());
}

TEST_CASE("the tree sends every training row to the leaf that holds it") {
  const Cloud cloud(3000, 6, 21);
  base::ThreadPool pool(2);
  Hooks hooks;
  base::Monitor monitor(hooks);
  base::Context context;
  context.pool = &pool;
  context.monitor = &monitor;
  TreeOptions options;
  options.leaves = 13;
  const GrownTree grown = grow_tree(cloud.rows(), options, context);
  REQUIRE(grown.tree.leaves() == 13);
  std::vector<Index> seen(3000, 0);
  for (Index l = 0; l < 13; ++l) {
    CHECK(grown.first[l + 1] - grown.first[l] >= options.least_rows);
    for (Index i = grown.first[l]; i < grown.first[l + 1]; ++i) {
      ++seen[grown.order[i]];
      CHECK(grown.tree.leaf_of(cloud.rows().row(grown.order[i])) == l);
    }
  }
  CHECK(std::count(seen.begin(), seen.end(), 1) == 3000);
  const auto depth = grown.tree.depths();
  double kraft = 0;
  for (const int levels : depth) kraft += std::pow(0.5, levels);
  CHECK(kraft == doctest::Approx(1.0));  // a full binary tree

  std::vector<float> same(100 * padded(6), 0.5F), norms(100, 1.5F);
  options.leaves = 4;
  CHECK(grow_tree({same.data(), norms.data(), 100, 6, padded(6)}, options, context).tree.leaves() == 1);  // nothing to tell apart
}

TEST_CASE("refining lowers the loss and does not depend on threads") {
  const Cloud cloud(1500, 2, 30);
  const DenseRows rows = cloud.rows();
  std::vector<double> y, C(1500, 1.0);
  for (Index i = 0; i < rows.n; ++i) y.push_back(rows.norms[i] < 0.5F ? 1.0 : -1.0);
  RefineProblem problem;
  problem.rows = rows;
  problem.gamma = 2;
  problem.targets = y.data();
  problem.C = C.data();
  const std::vector<float> start(cloud.x.begin(), cloud.x.begin() + 4 * padded(2));
  base::ThreadPool one(1), two(2);
  std::vector<float> a = start, b = start, none = start;
  const double before = refine_landmarks(problem, 0, one, none), after = refine_landmarks(problem, 40, one, a);
  CHECK(none == start);
  CHECK(after < 0.7 * before);
  CHECK(refine_landmarks(problem, 40, two, b) == after);
  CHECK(a == b);
}

TEST_CASE("features in which landmarks agree are left out of their products, and still tell rows apart") {
  const Index d = 37, m = 40, stride = padded(d);
  const Cloud cloud(50, d, 11);
  Cloud centres(m, d, 12);
  for (Index j = 0; j < m; ++j) {
    for (Index k = 5; k < d; ++k) centres.x[j * stride + k] = k % 2 == 0 ? 0.25F : 0.0F;  // all but the first five
  }
  const LeafBasis basis = make_basis(centres.x, m, d, stride, 0.3F);
  REQUIRE(basis.multiplied() == 5);
  for (const KernelType type : {KernelType::rbf, KernelType::linear, KernelType::poly}) {
    KernelParams kernel = rbf(0.3);
    kernel.type = type;
    kernel.degree = 2;
    kernel.coef0 = 1;
    const auto features = feature_matrix(feature_kind(kernel, PseudoLandmarks::none), basis, cloud.rows());
    for (Index i = 0; i < cloud.n; ++i) {
      for (Index j = 0; j < m; ++j) {
        double product = 0;
        for (Index k = 0; k < d; ++k) product += double{cloud.rows().row(i)[k]} * double{centres.x[j * stride + k]};
        const double far = distance(cloud.rows(), i, centres.rows().row(j));
        const double expected = type == KernelType::rbf      ? std::exp(-0.3 * far * far)
                                : type == KernelType::linear ? product
                                                             : std::pow(0.3 * product + 1, 2);
        CHECK(features[i * m + j] == doctest::Approx(expected).epsilon(1e-5));
      }
    }
  }
  CHECK(make_basis(cloud.x, 16, d, stride, 0.3F).multiplied() == d);
}

TEST_CASE("sums of rbf values are features times coefficients, a row alone as in company; NaN stays NaN") {
  const Index d = 37, stride = padded(d);
  for (const Index m : {3, 40}) {
    for (const bool alike : {false, true}) {
      Cloud cloud(21, d, 13), centres(m, d, 14);
      for (Index j = 0; alike && j < m; ++j) std::fill_n(centres.x.begin() + j * stride + 4, d - 4, 0.5F);
      const LeafBasis basis = make_basis(centres.x, m, d, stride, 0.4F);
      std::vector<float> coef(basis.width(), 0.0F), room(static_cast<std::size_t>(basis.room(21))), all(21);
      for (Index j = 0; j < m; ++j) coef[j] = 0.1F * static_cast<float>(j) - 1;
      std::vector<const float*> x;
      for (Index i = 0; i < cloud.n; ++i) x.push_back(cloud.rows().row(i));
      rbf_sums(basis, x.data(), cloud.norms.data(), cloud.n, coef.data(), room.data(), all.data());
      const auto features = feature_matrix(feature_kind(rbf(0.4), PseudoLandmarks::none), basis, cloud.rows());
      for (Index i = 0; i < cloud.n; ++i) {
        double sum = 0;
        for (Index j = 0; j < m; ++j) sum += double{coef[j]} * features[i * m + j];
        CHECK(double{all[i]} == doctest::Approx(sum).epsilon(1e-4));
        float one = 0;
        rbf_sums(basis, &x[i], &cloud.norms[i], 1, coef.data(), room.data(), &one);
        CHECK(one == all[i]);
      }
      cloud.x[2] = cloud.norms[0] = std::nanf("");
      float one = 0;
      rbf_sums(basis, x.data(), cloud.norms.data(), 1, coef.data(), room.data(), &one);
      CHECK(std::isnan(one));
    }
  }
}
