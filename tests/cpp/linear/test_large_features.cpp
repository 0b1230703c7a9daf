// Features and prices so large that the dual variables are tiny beside C: what is said of the solution must still be true.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dcsvm/linear.hpp"
#include "dcsvm/parameters.hpp"
#include "doctest/doctest.h"
#include "products/matrices.hpp"

using namespace dcsvm;
using namespace dcsvm::test;

namespace {

struct LargeCase {
  Index rows, cols;
  std::vector<double> x, labels, targets;

  LargeCase(Index n, Index d, double unit) : rows(n), cols(d), x(random_values(n, d, 1.0, 3)) {
    const std::vector<double> w = random_values(d, 1, 1.0, 4), noise = random_values(n, 1, 1.0, 5);
    for (Index i = 0; i < n; ++i) {
      double z = 0.5 * noise[i];
      for (Index j = 0; j < d; ++j) z += x[i * d + j] * w[j];
      labels.push_back(z > 0 ? 1.0 : -1.0);
      targets.push_back(z);
    }
    for (double& v : x) v *= unit;
  }
  LinearModel train(LinearSolver solver, double C) const {
    LinearParams params;
    params.solver = solver;
    params.C = C;
    params.bias = -1.0;
    return train_linear(dense(x.data(), rows, cols), is_regression(solver) ? targets.data() : labels.data(), params);
  }
};

}  // namespace

TEST_CASE("linear: hinge and tube where features are millions: the gap is what the report says, and small") {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{120, 5}, {120, 60}, {40, 200}}) {
    const LargeCase c(rows, cols, 3e6);
    for (const LinearSolver solver : {LinearSolver::hinge_dual, LinearSolver::svr_dual}) {
      CAPTURE(name_of(solver));
      CAPTURE(cols);
      const LinearReport r = c.train(solver, 1e3).report();
      CAPTURE(r.stop_detail);
      CHECK(r.dual_objective <= r.primal_objective * (1 + 1e-9));
      double at_zero = 0;  // P(0), which is far larger where the classes can be separated
      for (Index i = 0; i < rows; ++i)
        at_zero += 1e3 * (is_regression(solver) ? std::max(0.0, std::abs(c.targets[i]) - 0.1) : 1.0);
      CHECK(r.primal_objective - r.dual_objective <= 0.1 * (at_zero - r.dual_objective));
      // A tube that holds all targets: an objective of 1e-14, which double cannot tell from 0 beside P(0), has no digits of its
      // own.
      if (r.primal_objective > 1e-12 * at_zero) CHECK(r.stop_reason == StopReason::converged);
    }
  }
}

TEST_CASE("linear: |w|_1 with a squared hinge, features of thousands and C = 1e5: no weight can be better by itself") {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{120, 5}, {120, 60}, {40, 200}}) {
    const LargeCase c(rows, cols, 3e3);
    CAPTURE(cols);
    const LinearModel model = c.train(LinearSolver::l1_squared_hinge, 1e5);
    CAPTURE(model.report().stop_detail);
    CHECK(model.report().stop_reason == StopReason::converged);
    const auto objective = [&](const std::vector<double>& w) {
      double sum = 0;
      for (const double v : w) sum += std::abs(v);
      for (Index i = 0; i < rows; ++i) {
        double z = 0;
        for (Index j = 0; j < cols; ++j) z += c.x[i * cols + j] * w[j];
        const double lost = std::max(0.0, 1.0 - (c.labels[i] == model.classes()[0] ? z : -z));
        sum += 1e5 * lost * lost;
      }
      return sum;
    };
    const std::vector<double>& w = model.w();
    const double at = objective(w);
    CHECK(model.report().primal_objective == doctest::Approx(at).epsilon(1e-6));
    for (std::size_t j = 0; j < w.size(); ++j) {
      for (const double change : {0.9, 1.1}) {
        std::vector<double> other(w);
        other[j] *= change;
        CHECK(objective(other) >= at * (1 - 1e-3));
      }
    }
  }
}
