// dcsvm/linear.hpp: a model goes on with rows that come after those it was trained on.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/call.hpp"
#include "base/param_checks.hpp"
#include "base/require_model.hpp"
#include "base/stop_reason.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "linear/labels.hpp"
#include "linear/method.hpp"
#include "linear/model_data.hpp"
#include "linear/params.hpp"
#include "linear/training.hpp"
#include "linear_fit/new_rows.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace linear {

namespace {

using linear_fit::NewRows;
using linear_fit::RowProblem;

void check_online(const LinearParams& p, const LinearInputs& inputs) {
  check_params(p, inputs);
  const std::string solver = name_of(p.solver);
  if (traits_of(p.solver).l1 || p.solver == LinearSolver::one_class)
    throw ParameterError("solver: " + solver + " has no step for a single row; use one with 1/2 |w|^2 for classes or regression");
  if (p.l1_ratio > 0 || std::isinf(p.C)) {
    throw ParameterError(std::string(p.l1_ratio > 0 ? "l1_ratio" : "C") +
                         ": rows are added with the penalty 1/2 |w|^2 alone; give l1_ratio = 0 and a finite C");
  }
  if (p.balanced) throw ParameterError("class_weight: \"balanced\" needs all rows; give the factors");
  if (inputs.initial_w != nullptr || !inputs.classes.empty())
    throw ParameterError("initial_w, classes: the model has them when rows are added");
}

RowProblem problem_of(Form form) {
  switch (form) {
    case Form::crammer_singer: return RowProblem::crammer_singer;
    case Form::softmax: return RowProblem::softmax;
    case Form::rows:
    case Form::one_class: break;
  }
  return RowProblem::one_by_one;
}

/// The factor of C of each of the model's classes.
std::vector<double> factors(const LinearParams& params, const std::vector<double>& classes) {
  std::vector<double> factor(classes.size(), 1.0);
  for (const auto& [label, weight] : params.class_weight) {
    const auto at = std::find(classes.begin(), classes.end(), label);
    if (at == classes.end())
      throw ParameterError("class_weight names label " + std::to_string(label) + ", which the model does not have");
    factor[static_cast<std::size_t>(at - classes.begin())] = weight;
  }
  return factor;
}

NewRows new_rows(const LinearData& model, const Matrix& x, const double* y, const LinearParams& params,
                 const LinearInputs& inputs) {
  NewRows rows;
  rows.x = &x;
  rows.vectors = n_vectors(model);
  rows.problem = problem_of(form_of(model.solver, model.classes.size()));
  rows.loss = loss_of(model.solver);
  rows.width = params.epsilon;
  rows.bias = model.bias;
  rows.C.assign(x.rows(), params.C);
  for (Index i = 0; inputs.sample_weight != nullptr && i < x.rows(); ++i) rows.C[i] *= inputs.sample_weight[i];
  if (is_regression(model.solver)) {
    rows.y.assign(y, y + x.rows());
  } else {
    LinearParams own = params;
    own.class_weight.clear();
    LinearInputs of_model;
    of_model.classes = model.classes;
    rows.class_of = make_labels(y, x.rows(), own, of_model).class_of;
    rows.factor = factors(params, model.classes);
    const bool of_rows = rows.problem != RowProblem::one_by_one || rows.vectors == 1;
    for (Index i = 0; of_rows && i < x.rows(); ++i) rows.C[i] *= rows.factor[rows.class_of[i]];
  }
  return rows;
}

void refuse_overflow(const std::vector<double>& w) {
  if (std::all_of(w.begin(), w.end(), [](double v) { return std::isfinite(v); })) return;
  throw DataError("the weights left the range of float64: X, y, bias, the weights or C is too large; scale X to values near 1");
}

}  // namespace

}  // namespace linear

LinearModel train_linear_online(const LinearModel& model, const DataView& x, const double* y, const LinearParams& params,
                                const LinearInputs& inputs, const Hooks& hooks) {
  const linear::LinearData& before = base::require_model(model.data());
  LinearParams own = params;
  own.solver = before.solver;
  own.bias = before.bias;
  own.regularize_bias = true;
  linear::check_online(own, inputs);
  if (cols_of(x) != before.n_features) {
    throw DataError("x has " + std::to_string(cols_of(x)) + " features, but the model has " + std::to_string(before.n_features));
  }
  base::Call call(own.n_threads, own.seed, own.cache_size, hooks, own.max_seconds);
  const linear::TrainingData data(std::make_unique<const products::Matrix>(linear::checked(x, y, own, inputs, call.context),
                                                                           own.bias, call.context.cap_bytes, *call.context.pool),
                                  y);
  const double data_seconds = base::seconds_since(call.monitor.start());
  linear::LinearData after = before;
  const linear::NewRows rows = linear::new_rows(before, data.x, y, own, inputs);
  const linear_fit::Solution pass = linear_fit::visit_new_rows(rows, after.w, own.seed, call.context);
  linear::refuse_overflow(after.w);
  LinearProblemReport problem;
  problem.primal_objective = problem.dual_objective = problem.violation = problem.gradient_norm =
      std::numeric_limits<double>::quiet_NaN();
  problem.stop_reason = pass.stop_reason;
  problem.n_iter = 1;
  LinearReport report;
  report.primal_objective = report.dual_objective = report.violation = report.gradient_norm = problem.violation;
  report.stop_reason = pass.stop_reason;
  report.n_iter = 1;
  report.n_support = pass.n_inner;
  report.n_nonzero = std::count_if(after.w.begin(), after.w.end(), [](double v) { return v != 0; });
  report.problems.assign(rows.problem == linear_fit::RowProblem::one_by_one ? rows.vectors : 1, problem);
  const std::string rows_seen = std::to_string(pass.n_iter), all_rows = std::to_string(data.x.rows());
  report.stop_detail = (pass.stop_reason == StopReason::one_pass ? "one pass over " + all_rows
                                                                 : "after a pass over " + rows_seen + " of " + all_rows) +
                       " rows, of which " + std::to_string(pass.n_inner) + " changed the weights";
  report.method = name_of(linear::Method::dual_descent);
  report.isa = simd::active_isa();
  after.report = std::move(report);
  linear::finish_report(after.report, data, data_seconds, call);
  return LinearModel(std::make_shared<const linear::LinearData>(std::move(after)));
}

}  // namespace dcsvm
