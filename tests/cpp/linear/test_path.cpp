#include <cstdlib>
#include <string>
#include <vector>

#include "dcsvm/errors.hpp"
#include "dcsvm/linear_path.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

namespace {

struct PathSample {
  Index n = 90, d = 3;
  std::vector<double> x, y;
};

/// Three classes that overlap.
PathSample make_sample() {
  PathSample s;
  std::uint64_t state = 7;
  const auto next = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 33) / 2147483648.0 - 1.0;
  };
  for (Index i = 0; i < s.n; ++i) {
    for (Index j = 0; j < s.d; ++j) s.x.push_back(next() + (j == i % 3 ? 0.8 : 0.0));
    s.y.push_back(i % 3 == 0 ? 5 : i % 3 == 1 ? -2 : 3);
  }
  return s;
}

}  // namespace

#ifdef __GLIBC__
TEST_CASE("linear path: the folds are those of LIBLINEAR in a process that drew no random number before") {
  std::srand(1);  // how a process starts NOLINT(bugprone-random-generator-seed)
  const Index n = 23;
  const int n_folds = 4;
  std::vector<Index> order(n);
  for (Index i = 0; i < n; ++i) order[i] = i;
  for (Index i = 0; i < n; ++i) std::swap(order[i], order[i + std::rand() % (n - i)]);
  const LinearFolds folds = liblinear_folds(n, n_folds);
  CHECK(folds.order == order);
  for (int f = 0; f < n_folds; ++f) {
    for (Index k = f * n / n_folds; k < (f + 1) * n / n_folds; ++k) CHECK(folds.of_row[order[k]] == f);
  }
}
#endif

TEST_CASE("linear path: cross-validation is training without a fold") {
  const PathSample s = make_sample();
  for (const int number : {0, 1, 2, 3, 4, 5, 6, 7, 11, 21}) {
    LinearParams params;
    params.solver = linear_solver(number);
    params.tol = 1e-8;
    params.max_iter = 100000;
    if (number == 21) params.bias = -1;
    LinearFolds folds = liblinear_folds(s.n, 3);
    if (number == 0) {  // fold 2 has all of class 3
      for (Index i = 0; i < s.n; ++i) folds.of_row[i] = s.y[i] == 3 ? 2 : folds.of_row[i] == 2 ? 0 : folds.of_row[i];
    }
    std::vector<double> out(s.n);
    cross_validate_linear(dense(s.x.data(), s.n, s.d), s.y.data(), params, folds, out.data());
    for (int f = 0; f < 3; ++f) {
      std::vector<double> x, y;
      for (Index i = 0; i < s.n; ++i) {
        if (folds.of_row[i] == f) continue;
        x.insert(x.end(), s.x.begin() + i * s.d, s.x.begin() + (i + 1) * s.d);
        y.push_back(s.y[i]);
      }
      const LinearModel model = train_linear(dense(x.data(), static_cast<Index>(y.size()), s.d), y.data(), params);
      for (Index i = 0; i < s.n; ++i) {
        if (folds.of_row[i] != f) continue;
        double expected = 0;
        predict(model, dense(s.x.data() + i * s.d, 1, s.d), &expected);
        CHECK(out[i] == doctest::Approx(expected).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("linear path: a fold may hold all rows of a class, but a class needs a weight somewhere") {
  const PathSample s = make_sample();
  const DataView x = dense(s.x.data(), s.n, s.d);
  LinearParams params;
  params.solver = LinearSolver::logistic;
  params.tol = 1e-8;
  LinearPathOptions options;
  options.C = {0.5, 1};
  options.keep_predictions = true;
  for (Index i = 0; i < s.n; ++i) options.folds.of_row.push_back(s.y[i] == 3 ? 2 : static_cast<int>(i / 3 % 2));
  for (const bool balanced : {false, true}) {
    params.balanced = balanced;
    const LinearPath path = linear_path(x, s.y.data(), params, options);
    std::vector<double> rows, y;  // without fold 2
    for (Index i = 0; i < s.n; ++i) {
      if (s.y[i] == 3) continue;
      rows.insert(rows.end(), s.x.begin() + i * s.d, s.x.begin() + (i + 1) * s.d);
      y.push_back(s.y[i]);
    }
    const LinearModel model = train_linear(dense(rows.data(), static_cast<Index>(y.size()), s.d), y.data(), params);
    std::vector<double> expected(s.n);
    predict(model, x, expected.data());
    for (Index i = 0; i < s.n; ++i) {
      if (s.y[i] == 3) CHECK(path.points[1].predictions[i] == expected[i]);
    }
    CHECK(path.points[1].fold_objectives[2] == doctest::Approx(model.report().primal_objective).epsilon(1e-6));
  }
  const auto refuses = [&](const LinearInputs& inputs) {
    CHECK_THROWS_WITH_AS(linear_path(x, s.y.data(), params, options, inputs),
                         doctest::Contains("all weights of class 3 are zero"), DataError);
  };
  std::vector<double> weight;
  for (const double label : s.y) weight.push_back(label == 3 ? 0.0 : 1.0);
  LinearInputs inputs;
  inputs.sample_weight = weight.data();
  refuses(inputs);
  params.balanced = false;
  params.class_weight = {{3.0, 0.0}};
  refuses({});
}

TEST_CASE("linear path: the same points and best for any number of threads") {
  const PathSample s = make_sample();
  LinearParams params;
  params.solver = LinearSolver::squared_hinge;
  LinearPathOptions options;
  options.folds = liblinear_folds(s.n, 5);
  LinearPath first;
  for (const int threads : {1, 2, 5}) {
    params.n_threads = threads;
    std::vector<double> visited;
    options.visit = [&](const LinearPathPoint& p) { visited.push_back(p.score); };
    const LinearPath path = linear_path(dense(s.x.data(), s.n, s.d), s.y.data(), params, options);
    REQUIRE(path.points.size() > 5);
    CHECK(visited.size() == path.points.size());
    for (std::size_t k = 1; k < path.points.size(); ++k) CHECK(path.points[k].C == 2 * path.points[k - 1].C);
    CHECK(path.points.back().at_largest_C == (path.points.back().C > 512));
    if (threads == 1) first = path;
    CHECK(path.best_C == first.best_C);
    for (std::size_t k = 0; k < path.points.size(); ++k) CHECK(path.points[k].score == first.points[k].score);
    double best = 0, best_C = 0;
    for (const auto& p : path.points) {
      if (p.score > best) best = p.score, best_C = p.C;
    }
    CHECK(path.best_score == best);
    CHECK(path.best_C == best_C);
  }
}

TEST_CASE("linear path: wrong arguments are named") {
  const PathSample s = make_sample();
  const DataView x = dense(s.x.data(), s.n, s.d);
  std::vector<double> out(s.n);
  LinearParams params;
  CHECK_THROWS_WITH_AS(liblinear_folds(5, 1), "n_folds must be 2 to 5, the number of rows, got 1", ParameterError);
  CHECK_THROWS_AS(liblinear_folds(5, 6), ParameterError);
  CHECK_THROWS_AS(cross_validate_linear(x, s.y.data(), params, {std::vector<int>(3)}, out.data()), ParameterError);
  CHECK_THROWS_AS(cross_validate_linear(x, s.y.data(), params, {std::vector<int>(s.n)}, out.data()), ParameterError);
  LinearFolds folds = liblinear_folds(s.n, 3);
  folds.of_row[4] = -1;
  CHECK_THROWS_AS(cross_validate_linear(x, s.y.data(), params, folds, out.data()), ParameterError);
  LinearPathOptions options;
  options.folds = liblinear_folds(s.n, 3);
  CHECK_THROWS_WITH_AS(linear_path(x, s.y.data(), params, options),
                       "solver must be logistic, squared_hinge or svr_squared for the search of linear_path; name values of C",
                       ParameterError);
}

TEST_CASE("linear path: ties fall by the order in which a fold's rows name the classes") {
  const std::vector<double> x = {1, -1, 2, -2, 3, -3, 0, 0}, y = {5, 2, 5, 2, 5, 2, 5, 2};
  LinearParams params;
  params.solver = LinearSolver::logistic;
  params.bias = -1;
  LinearFolds folds{{0, 0, 0, 0, 0, 0, 1, 1}};
  std::vector<double> out(8);
  const auto held_out = [&](std::vector<Index> order) {
    folds.order = std::move(order);
    cross_validate_linear(dense(x.data(), 8, 1), y.data(), params, folds, out.data());
    return out[6];  // its decision is 0, which means the second class of LIBLINEAR's order
  };
  CHECK(held_out({0, 1, 2, 3, 4, 5, 6, 7}) == 2);
  CHECK(held_out({1, 0, 2, 3, 4, 5, 6, 7}) == 5);
  CHECK(held_out({}) == 2);  // no such order: the lower class
  params.solver = LinearSolver::crammer_singer;
  CHECK(held_out({0, 1, 2, 3, 4, 5, 6, 7}) == 2);
  CHECK(held_out({1, 0, 2, 3, 4, 5, 6, 7}) == 5);
  CHECK_THROWS_AS(held_out({0, 1}), ParameterError);
  CHECK_THROWS_AS(held_out({0, 1, 2, 3, 4, 5, 6, 8}), ParameterError);
}

TEST_CASE("linear path: a cancelled cross-validation throws") {
  const PathSample s = make_sample();
  LinearParams params;
  std::vector<double> out(s.n);
  Hooks hooks;
  hooks.progress = [](const Progress&) { return true; };
  CHECK_THROWS_AS(
      cross_validate_linear(dense(s.x.data(), s.n, s.d), s.y.data(), params, liblinear_folds(s.n, 3), out.data(), {}, hooks),
      Interrupted);
}
