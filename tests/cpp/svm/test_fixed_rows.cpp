// Training some rows while others are held fixed: TrainInputs::fixed_row_sums.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "svm/training.hpp"

using namespace dcsvm;
using training::Data;

namespace {

constexpr Index kBlockRows = 240;

/// A training whose blocks of rows are solved in turn, each with the others held fixed.
struct BlockDescent {
  Data data;
  TrainParams params;
  std::vector<double> alpha{};  ///< n_pairs x n, as Model::alpha
  int n_classes() const { return params.formulation == Formulation::c_svc ? 3 : 1; }
  int n_pairs() const { return params.formulation == Formulation::c_svc ? 3 : 1; }

  /// The factor from alpha to a coefficient for a row in a pair: y, or 1 without classes; 0 where the row is not of the pair.
  double sign(int pair, Index i) const {
    if (n_classes() == 1) return 1.0;
    const int a = pair == 2 ? 1 : 0, b = pair == 0 ? 1 : 2;
    return data.y[i] == 10.0 + a ? 1.0 : data.y[i] == 10.0 + b ? -1.0 : 0.0;
  }

  /// n_pairs x rows of K beta over `points`, for the rows of `rows`.
  std::vector<double> sums(const std::vector<Index>& rows, const std::vector<Index>& points) const {
    std::vector<double> coef, by_row(rows.size() * n_pairs()), out(by_row.size());
    for (int p = 0; p < n_pairs(); ++p) {
      for (const Index i : points) coef.push_back(sign(p, i) * alpha[p * kBlockRows + i]);
    }
    const Data x = data.rows(rows), of = data.rows(points);
    kernel_sums(x.view(), of.view(), coef.data(), n_pairs(), params.kernel, Precision::double_, by_row.data());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (int p = 0; p < n_pairs(); ++p) out[p * rows.size() + i] = by_row[i * n_pairs() + p];
    }
    return out;
  }

  /// Solves the rows of `block`. The change of the whole objective, and of that in the report.
  void solve(const std::vector<Index>& block, const std::vector<Index>& others, bool sums_known) {
    const std::vector<double> fixed = sums(block, others), own = sums(block, block);
    std::vector<double> start;
    for (int p = 0; p < n_pairs(); ++p) {
      for (const Index i : block) start.push_back(alpha[p * kBlockRows + i]);
    }
    TrainInputs inputs;
    inputs.warm_start_alpha = start.data();
    inputs.fixed_row_sums = fixed.data();
    if (sums_known) inputs.warm_start_sums = own.data();
    TrainParams these = params;
    if (params.formulation == Formulation::one_class) {
      these.nu = 0;
      for (const double value : start) these.nu += value / static_cast<double>(start.size());
      if (these.nu <= 0) return;
    }
    const Model model = training::train(data.rows(block), these, inputs);
    CHECK(model.report().violation < params.tol);
    const std::vector<double> found = model.alpha();
    for (int p = 0; p < n_pairs(); ++p) {
      for (std::size_t i = 0; i < block.size(); ++i) alpha[p * kBlockRows + block[i]] = found[p * block.size() + i];
    }
  }
};

TrainParams params_of(Formulation formulation, bool bias) {
  TrainParams params = training::rbf(0.8, 2.0);
  params.formulation = formulation;
  params.precision = Precision::double_;
  params.solver = SolverType::automatic;
  params.fit_intercept = bias;
  params.nu = 0.3;
  params.tol = 1e-5;
  return params;
}

}  // namespace

TEST_CASE("rows solved in random blocks, the others held fixed, end at the solution of all rows") {
  for (const Formulation formulation : {Formulation::c_svc, Formulation::epsilon_svr, Formulation::one_class}) {
    for (const bool bias : {true, false}) {
      if (!bias && formulation == Formulation::one_class) continue;
      const Data data = training::blobs(kBlockRows, 3, 3, 5, 2.0);
      const TrainParams params = params_of(formulation, bias);
      const Model whole = training::train(data, params);
      TrainParams rough = params;
      rough.tol = 100;  // a feasible start
      BlockDescent descent{data, params, training::train(data, rough).alpha()};
      base::Random random(3);
      for (int sweep = 0; sweep < 60; ++sweep) {
        std::vector<Index> parts[2];
        for (Index i = 0; i < kBlockRows; ++i) parts[random.below(2)].push_back(i);
        for (const int p : {0, 1}) descent.solve(parts[p], parts[1 - p], sweep % 2 == 0);
      }
      // Judged as one training that starts there and may not move.
      TrainParams judge = params;
      judge.max_iter = 0;
      TrainInputs there;
      there.warm_start_alpha = descent.alpha.data();
      const Model judged = training::train(data, judge, there);
      CHECK(judged.report().objective == doctest::Approx(whole.report().objective).epsilon(1e-6));
      CHECK(judged.report().violation < 0.02);
    }
  }
}

TEST_CASE("with rows held fixed the report's violation and objective are those of the block") {
  const Data data = training::blobs(kBlockRows, 3, 3, 5, 2.0);
  std::vector<double> fixed(3 * kBlockRows);
  base::Random random(1);
  for (double& v : fixed) v = random.uniform() - 0.5;
  TrainInputs inputs;
  inputs.fixed_row_sums = fixed.data();
  const TrainParams params = params_of(Formulation::c_svc, true);
  const Model model = training::train(data, params, inputs);
  const std::vector<double> alpha = model.alpha();
  const BlockDescent found{data, params, alpha};
  std::vector<Index> all(kBlockRows);
  for (Index i = 0; i < kBlockRows; ++i) all[i] = i;
  const std::vector<double> own = found.sums(all, all);
  double objective = 0, violation = 0;
  for (int p = 0; p < 3; ++p) {
    double up = -1e300, low = 1e300;
    for (Index i = 0; i < kBlockRows; ++i) {
      const Index at = p * kBlockRows + i;
      const double y = found.sign(p, i), a = alpha[at];
      if (y == 0) continue;
      const double g = y - fixed[at] - own[at];
      objective += y * a * (0.5 * own[at] + fixed[at] - y);
      if (y > 0 ? a < params.C : a > 0) up = std::max(up, g);
      if (y > 0 ? a > 0 : a < params.C) low = std::min(low, g);
    }
    violation = std::max(violation, up - low);
  }
  CHECK(model.report().objective == doctest::Approx(objective).epsilon(1e-9));
  CHECK(model.report().violation == doctest::Approx(violation).epsilon(1e-6));
  CHECK(violation < params.tol);
  CHECK(model.report().solver_reason == "rows are held fixed");
}

TEST_CASE("fixed_row_sums: what it cannot go with, and values that are not finite, are refused by name") {
  const Data data = training::blobs(kBlockRows, 3, 3, 5, 2.0);
  std::vector<double> fixed(3 * kBlockRows, 0.1);
  TrainInputs inputs;
  inputs.fixed_row_sums = fixed.data();
  const auto refused = [&](TrainParams params) {
    return training::message_of<ParameterError>([&] { training::train(data, params, inputs); });
  };
  const std::string is_for = "fixed_row_sums is for one exact solve of c_svc, epsilon_svr or one_class, not with ";
  CHECK(refused(params_of(Formulation::nu_svc, true)) == is_for + "formulation \"nu_svc\"");
  CHECK(refused(params_of(Formulation::nu_svr, true)) == is_for + "formulation \"nu_svr\"");
  TrainParams params = params_of(Formulation::c_svc, true);
  params.solver = SolverType::dc;
  CHECK(refused(params) == is_for + "solver \"dc\"");
  params = params_of(Formulation::c_svc, true);
  params.probability = true;
  CHECK(refused(params) == is_for + "probability");
  params = params_of(Formulation::c_svc, true);
  params.early_level = 1;
  CHECK(refused(params) == is_for + "early_level");
  fixed[kBlockRows + 5] = std::nan("");
  CHECK(refused(params_of(Formulation::c_svc, true)) == "fixed_row_sums[1, 5] is not finite");
}
