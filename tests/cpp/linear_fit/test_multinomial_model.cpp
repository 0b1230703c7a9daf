// The step that lowers the quadratic model of the multinomial losses with |w|: against the whole Hessian and proximal gradients.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/call.hpp"
#include "base/random.hpp"
#include "doctest/doctest.h"
#include "linear_fit/multinomial_model.hpp"
#include "linear_fit/multinomial_rows.hpp"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;
using linear_fit::MultinomialModel;
using linear_fit::MultinomialProblem;

namespace {

const auto goes_on = [] { return false; };

constexpr Index kModelRows = 90, kModelColumns = 5, kModelClasses = 3;

// A problem whose last column is nearly the sum of two others, at weights some of which are 0.
struct ModelFixture {
  Hooks hooks;
  base::Call call{1, 0, 100, hooks};
  std::vector<double> x;
  products::Matrix matrix;
  MultinomialProblem p;
  std::unique_ptr<const products::Columns> columns;
  std::unique_ptr<linear_fit::MultinomialRows> rows;
  Index width = 0;
  std::vector<double> w, g;
  base::Buffer<float> probabilities;

  ModelFixture(double C, linear_fit::Penalty penalty)
      : x(values()),
        matrix(DenseView{x.data(), ScalarType::float64, kModelRows, kModelColumns, kModelColumns, 1}, 0.0, kAmpleCap, call.pool) {
    p.x = p.exact_x = &matrix;
    p.classes = kModelClasses;
    p.penalty = penalty;
    base::Random random(11);
    for (Index i = 0; i < kModelRows; ++i) {
      p.class_of.push_back(static_cast<int>(random.uniform() * static_cast<double>(kModelClasses)));
      p.C.push_back(i % 9 == 4 ? 0.0 : C);
    }
    columns = std::make_unique<const products::Columns>(matrix, std::size_t{1} << 24, call.pool);
    rows = std::make_unique<linear_fit::MultinomialRows>(p);
    width = rows->width();
    w.assign(static_cast<std::size_t>(rows->size()), 0.0);
    g = w;
    for (Index j = 0; j < kModelColumns; ++j) {
      for (Index m = 0; m < kModelClasses; ++m) w[j * width + m] = (j + m) % 3 == 0 ? 0.0 : random.uniform() - 0.5;
    }
    probabilities = base::Buffer<float>(kModelRows * width, 0.0F);
    rows->evaluate(w, g, probabilities, call.pool);
  }
  static std::vector<double> values() {
    auto x = random_values(kModelRows, kModelColumns, 1.0, 5);
    for (Index i = 0; i < kModelRows; ++i) {
      double* row = x.data() + i * kModelColumns;
      row[kModelColumns - 1] = row[0] + row[1] + 1e-4 * row[kModelColumns - 1];
    }
    return x;
  }
  /// The gradient of the losses' model at s, by plain sums over rows and classes.
  std::vector<double> slopes(const std::vector<double>& s) const {
    std::vector<double> out = g;
    for (Index i = 0; i < kModelRows; ++i) {
      const double* row = x.data() + i * kModelColumns;
      const float* const own = probabilities.data() + i * width;
      double u[kModelClasses] = {}, mean = 0, sum = 0;
      for (Index m = 0; m < kModelClasses; ++m) {
        for (Index j = 0; j < kModelColumns; ++j) u[m] += row[j] * s[j * width + m];
        mean += static_cast<double>(own[m]) * u[m];
        sum += static_cast<double>(own[m]);
      }
      if (sum == 0) continue;
      for (Index m = 0; m < kModelClasses; ++m) {
        const double change = p.C[i] * static_cast<double>(own[m]) * (u[m] - mean / sum);
        for (Index j = 0; j < kModelColumns; ++j) out[j * width + m] += change * row[j];
      }
    }
    return out;
  }
  double value(const std::vector<double>& s) const {
    const auto at = slopes(s);
    double sum = 0;
    for (std::size_t t = 0; t < s.size(); ++t) sum += 0.5 * (g[t] + at[t]) * s[t] + p.penalty.value(w[t] + s[t]);
    return sum;
  }
  /// The largest distance of a weight of these columns from its condition of optimality.
  double violation(const std::vector<double>& s, const std::vector<Index>& of) const {
    const auto at = slopes(s);
    double most = 0;
    for (const Index j : of) {
      for (Index m = 0; m < kModelClasses; ++m) {
        const Index t = j * width + m;
        most = std::max(most, p.penalty.distance(w[t] + s[t], at[t]));
      }
    }
    return most;
  }
  /// The slow twin: proximal gradients with the step 1 / (trace of the Hessian's bound).
  std::vector<double> by_proximal_gradients(int steps) const {
    double most = 0;
    for (std::size_t t = 0; t < x.size(); ++t) most += p.C[t / kModelColumns] * x[t] * x[t];
    std::vector<double> s(w.size(), 0.0);
    for (int k = 0; k < steps; ++k) {
      const auto at = slopes(s);
      for (std::size_t t = 0; t < s.size(); ++t) s[t] += p.penalty.step(w[t] + s[t], at[t], most);
    }
    return s;
  }
};

}  // namespace

TEST_CASE("multinomial model: the step is its minimum, with columns that are nearly dependent and rows of weight 0") {
  for (const double C : {0.3, 1.0, 1e4}) {
    for (const linear_fit::Penalty penalty : {linear_fit::Penalty{1.0, 0.0}, {0.5, 0.5}, {5.0, 0.1}}) {
      CAPTURE(C);
      CAPTURE(penalty.l1);
      const ModelFixture f(C, penalty);
      ModelFixture own(C, penalty);
      MultinomialModel model(own.p, *own.columns, own.width, 1, own.call.pool);
      const std::vector<Index> all = {0, 1, 2, 3, 4};
      model.set(own.w, own.g, own.probabilities, all);
      model.solve(1e-6, goes_on);
      const double first = f.violation(std::vector<double>(f.w.size(), 0.0), all);
      CHECK(f.violation(model.step(), all) <= 1e-4 * first);
      if (C > 1) continue;  // proximal gradients would need millions of steps
      const double slow = f.value(f.by_proximal_gradients(100000));
      CHECK(f.value(model.step()) <= slow + 1e-9 * std::abs(slow));
    }
  }
}

TEST_CASE("multinomial model: other columns stay, and a second solve begins from 0 again") {
  ModelFixture f(10.0, {0.5, 0.5});
  MultinomialModel model(f.p, *f.columns, f.width, 1, f.call.pool);
  const std::vector<Index> some = {1, 3};
  model.set(f.w, f.g, f.probabilities, some);
  model.solve(1e-6, goes_on);
  const std::vector<double> step = model.step();
  CHECK(f.violation(step, some) <= 1e-5 * f.violation(std::vector<double>(f.w.size(), 0.0), some));
  for (Index j : {0, 2, 4}) {
    for (Index m = 0; m < f.width; ++m) CHECK(step[j * f.width + m] == 0.0);
  }
  const std::int64_t passes = model.passes();
  CHECK(passes > 0);
  model.set(f.w, f.g, f.probabilities, some);
  model.solve(1e-6, goes_on);
  CHECK(model.passes() > passes);
  for (std::size_t t = 0; t < step.size(); ++t) CHECK(model.step()[t] == doctest::Approx(step[t]).epsilon(1e-4));
}

TEST_CASE("multinomial model: where no weight can be better the step is 0") {
  ModelFixture f(1e-6, {1.0, 0.0});
  std::fill(f.w.begin(), f.w.end(), 0.0);
  f.rows->evaluate(f.w, f.g, f.probabilities, f.call.pool);
  MultinomialModel model(f.p, *f.columns, f.width, 1, f.call.pool);
  model.set(f.w, f.g, f.probabilities, {0, 1, 2, 3, 4});
  model.solve(1e-2, goes_on);
  for (const double s : model.step()) CHECK(s == 0.0);
}
