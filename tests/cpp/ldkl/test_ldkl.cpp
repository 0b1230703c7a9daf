#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/context.hpp"
#include "doctest/doctest.h"
#include "ldkl/descend.hpp"
#include "ldkl/fit_weights.hpp"
#include "ldkl/labels.hpp"
#include "ldkl/params.hpp"
#include "ldkl/path.hpp"

using namespace dcsvm;

namespace {

/// Seven rows of three features and the constant, a tree of depth 2, and the numbers that bench/methods/ldkl.py finds for them.
struct Small {
  Small() : pool(1), x(values()), shape{2, 4} {
    for (Index i = 0; i < n; ++i) y.push_back(i % 3 == 0 ? 1.0 : -1.0);
    weight.assign(n, 1.0);
    for (Index e = 0; e < shape.vectors() * shape.cols; ++e) vectors.push_back(0.8 * std::cos(1.7 * static_cast<double>(e)));
    matrix = std::make_unique<products::Matrix>(dense(x.data(), n, 3), 1.0, std::size_t{1} << 30, pool);
    rows = {matrix.get(), y.data(), weight.data()};
    order.resize(n);
    std::iota(order.begin(), order.end(), Index{0});
  }
  static std::vector<double> values() {
    std::vector<double> v;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < 3; ++j) v.push_back(std::sin(1.0 + 3 * i + 2 * j));
    }
    return v;
  }
  double mean_loss(ldkl::SmoothTree& tree, const std::vector<double>& at) {
    return tree.losses(order.data(), n, at.data(), sharpness, 1.0 / n, pool) / n;
  }
  std::vector<double> gradient(ldkl::SmoothTree& tree) const {
    std::vector<double> g(vectors.size(), 0.0);
    for (Index k = 0; k < shape.vectors(); ++k) tree.gradient(k, g.data() + k * shape.cols);
    return g;
  }

  static constexpr Index n = 7;
  double sigma = 0.7, sharpness = 3.0;
  base::ThreadPool pool;
  std::vector<double> x;
  ldkl::Shape shape;
  std::vector<double> y, weight, vectors;
  std::unique_ptr<products::Matrix> matrix;
  ldkl::Rows rows;
  std::vector<Index> order;
};

}  // namespace

TEST_CASE("the smooth tree has the loss and the gradient of the reference version") {
  Small s;
  ldkl::SmoothTree tree(s.rows, s.shape, s.sigma, Small::n);
  CHECK(s.mean_loss(tree, s.vectors) == doctest::Approx(1.1549520753541511).epsilon(1e-13));
  const std::vector<double> g = s.gradient(tree);
  double squares = 0, marked = 0;
  for (Index k = 0; k < s.shape.vectors(); ++k) {
    for (Index j = 0; j < 4; ++j) {
      squares += g[k * 4 + j] * g[k * 4 + j];
      marked += g[k * 4 + j] * std::cos(static_cast<double>(k + 5 * j));
    }
  }
  CHECK(squares == doctest::Approx(0.3205782074979817).epsilon(1e-12));
  CHECK(marked == doctest::Approx(0.07922091482363734).epsilon(1e-12));
  CHECK(g[0] == doctest::Approx(0.09507186011159624).epsilon(1e-12));
  CHECK(g[9 * 4 + 1] == doctest::Approx(-0.06757969858476216).epsilon(1e-12));
  CHECK(g[15 * 4 + 3] == doctest::Approx(0.0028249338654154762).epsilon(1e-12));
}

TEST_CASE("the smooth tree's gradient is that of finite differences, with weights of rows and sharp gates too") {
  Small s;
  for (std::size_t i = 0; i < s.weight.size(); ++i) s.weight[i] = 0.5 + 0.25 * static_cast<double>(i % 3);
  for (const double sharpness : {1.0, 40.0}) {
    s.sharpness = sharpness;
    ldkl::SmoothTree tree(s.rows, s.shape, s.sigma, Small::n);
    s.mean_loss(tree, s.vectors);
    const std::vector<double> g = s.gradient(tree);
    for (std::size_t e = 0; e < g.size(); ++e) {
      constexpr double kStep = 1e-6;
      std::vector<double> up = s.vectors, down = s.vectors;
      up[e] += kStep;
      down[e] -= kStep;
      const double slope = (s.mean_loss(tree, up) - s.mean_loss(tree, down)) / (2 * kStep);
      CHECK(g[e] == doctest::Approx(slope).epsilon(1e-5).scale(1.0));
    }
  }
}

TEST_CASE("a row's decision is the reference version's, and a sharp smooth tree's loss comes to it") {
  Small s;
  const std::vector<double> expected{-2.8635740503946923, -0.9120918613806952, -2.375297566271969, -0.7299709054591841,
                                     -1.7427781836888674, -0.6584090819348698, -1.0478666388339017};
  const Index wide = s.shape.nodes() * s.shape.cols;
  ldkl::PathOfRow path(s.shape, s.sigma);
  double loss = 0;
  for (Index i = 0; i < Small::n; ++i) {
    const auto product = [&](const double* vector) { return s.matrix->dot(i, vector); };
    path.walk(s.vectors.data() + wide, s.vectors.data() + 2 * wide, product);
    const double decision = path.decision(s.vectors.data(), product);
    CHECK(decision == doctest::Approx(expected[i]).epsilon(1e-12));
    loss += std::max(0.0, 1 - s.y[i] * decision) / Small::n;
  }
  ldkl::SmoothTree tree(s.rows, s.shape, s.sigma, Small::n);
  s.sharpness = 1e5;
  CHECK(s.mean_loss(tree, s.vectors) == doctest::Approx(loss).epsilon(1e-12));
}

TEST_CASE("a row meets one node of each level") {
  for (const Index depth : {0, 3, 8}) {
    const ldkl::Shape shape{depth, 2};
    const std::vector<double> vectors(shape.vectors() * 2, 0.5);
    Index products = 0;
    const auto product = [&](const double*) { return static_cast<double>(++products % 3) - 1; };
    ldkl::PathOfRow path(shape, 1.0);
    path.walk(vectors.data(), vectors.data(), product);
    path.decision(vectors.data(), product);
    CHECK(products == 3 * depth + 2);
    CHECK(static_cast<double>(products) < ldkl::cost_of(depth, 100, 1));
  }
}

TEST_CASE("the weights of a fixed tree reach the gap that they claim, and no other weights do better") {
  Small s;
  LdklParams params;
  params.sigma = s.sigma;
  params.lambda_w = 0.01;
  params.tol = 1e-6;
  base::Context context;
  context.pool = &s.pool;
  const ldkl::WeightsFit fit = ldkl::fit_weights(s.rows, s.shape, s.vectors.data(), params, 0, 1, context);
  CHECK(fit.stop_reason == StopReason::converged);
  CHECK(fit.violation <= 1e-6);
  const Index wide = s.shape.nodes() * s.shape.cols;
  const auto objective = [&](const std::vector<double>& w) {
    ldkl::PathOfRow path(s.shape, s.sigma);
    double value = 0;
    for (const double v : w) value += params.lambda_w / 2 * v * v;
    for (Index i = 0; i < Small::n; ++i) {
      const auto product = [&](const double* vector) { return s.matrix->dot(i, vector); };
      path.walk(s.vectors.data() + wide, s.vectors.data() + 2 * wide, product);
      value += std::max(0.0, 1 - s.y[i] * path.decision(w.data(), product)) / Small::n;
    }
    return value;
  };
  CHECK(objective(fit.w) == doctest::Approx(fit.objective).epsilon(1e-12));
  for (std::size_t e = 0; e < fit.w.size(); ++e) {
    for (const double step : {-0.05, 0.05}) {
      std::vector<double> other = fit.w;
      other[e] += step;
      CHECK(objective(other) >= fit.dual_objective);
    }
  }
  params.max_iter = 1;
  params.tol = 1e-9;
  CHECK(ldkl::fit_weights(s.rows, s.shape, s.vectors.data(), params, 0, 1, context).stop_reason == StopReason::max_iter);
}

TEST_CASE("a budget gives the deepest tree that it allows") {
  LdklParams params;
  params.budget = 17.0 + 11 * 6 / 100.0;
  CHECK(ldkl::depth_for(params, 1000000, 100, 1) == 5);
  params.budget = 17.0;
  CHECK(ldkl::depth_for(params, 1000000, 100, 1) == 4);
  CHECK(ldkl::depth_for(params, 32 * 8, 100, 1) == 3);
  params.budget = 1e9;
  CHECK(ldkl::depth_for(params, Index{1} << 40, 100, 1) == ldkl::kMostDepth);
  params.budget = 2.0;
  CHECK_THROWS_WITH_AS(ldkl::depth_for(params, 100, 100, 1), "budget must allow a tree of one node: at least 2.2, got 2",
                       ParameterError);
}

TEST_CASE("weights of rows have the mean 1, and rows of weight 0 take no part") {
  const std::vector<double> y{3, 1, 3, 1}, weight{0, 1e300, 1e308, 1e308};
  const ldkl::LdklLabels labels = ldkl::make_labels(y.data(), 4, {}, weight.data());
  CHECK(labels.rows == std::vector<Index>{1, 2, 3});
  CHECK(labels.class_of == std::vector<int>{0, 1, 0});
  CHECK(labels.weight[1] == doctest::Approx(1.5));
  CHECK(labels.signs(0) == std::vector<double>{1, -1, 1});
  const std::vector<double> none{0, 1, 0, 1};
  CHECK_THROWS_WITH_AS(ldkl::make_labels(y.data(), 4, {}, none.data()), doctest::Contains("all weights of class 3 are zero"),
                       DataError);
}
