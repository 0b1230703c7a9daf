#include "svm/training_record.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/stop_reason.hpp"
#include "simd/ops.hpp"
#include "svm/prediction/single_error.hpp"
#include "svm/warnings.hpp"

namespace dcsvm::svm {

TrainingRecord::TrainingRecord(const TrainingProblem& problem, const TrainParams& params) : problem_(problem), params_(params) {
  report.tol = params.tol;
}

OneVsOneSolution TrainingRecord::of(const std::vector<double>& coef) const {
  return {*problem_.x, problem_.kernel.type == KernelType::precomputed, problem_.classes, problem_.class_of, coef};
}

void TrainingRecord::add(const Solution& found) {
  if (rho_.empty()) {
    report.objective = report.violation = report.gap = 0;
    report.stop_reason = StopReason::converged;
  }
  rho_.push_back(0.0 - found.bias);
  in_double_ = in_double_ || found.in_double;
  report.problems.push_back(
      {found.objective, found.violation, found.tol, found.stop_reason, found.n_iter, found.n_support, found.n_bounded, found.r});
  report.objective += found.objective;
  report.gap += found.gap;
  report.violation = std::max(report.violation, found.violation);
  if (found.tol > 0) report.tol = rho_.size() == 1 ? found.tol : std::min(report.tol, found.tol);
  if (found.stop_reason == StopReason::converged) relative_gap_ = std::max(relative_gap_, found.relative_gap);
  report.n_iter += found.n_iter;
  report.peak_cache_bytes = std::max(report.peak_cache_bytes, found.peak_bytes);
  report.stop_reason = base::worse(report.stop_reason, found.stop_reason);
  seconds_rows_ += found.seconds_rows;
  seconds_inner_ += found.seconds_inner;
  seconds_select_ += found.seconds_select;
  seconds_update_ += found.seconds_update;
}

Model TrainingRecord::finish(ModelData data, std::int64_t n_values, std::size_t n_bytes, const base::Context& context) {
  data.formulation = params_.formulation;
  if (uses_nu(params_.formulation)) data.nu = params_.nu;
  if (traits_of(params_.formulation).epsilon) data.epsilon = params_.epsilon;
  data.kernel = problem_.kernel;
  data.precision = in_double_ ? Precision::double_ : problem_.precision;
  // A solve in double did not find out whether float is enough.
  if (data.precision != problem_.solved_in && !decides_in_single(data, params_.tol)) data.precision = Precision::double_;
  data.fit_intercept = params_.fit_intercept;
  data.prediction = params_.prediction;
  if (uses_C(params_.formulation)) data.C = params_.C;
  if (!rho_.empty()) {
    report.seconds["solve.rows"] = seconds_rows_;
    report.seconds["solve.inner"] = seconds_inner_;
    report.seconds["solve.select"] = seconds_select_;
    report.seconds["solve.update"] = seconds_update_;
  }
  report.n_support = static_cast<Index>(data.support.size());
  report.n_kernel_values += n_values;
  report.peak_cache_bytes += static_cast<std::int64_t>(n_bytes);
  report.precision = data.precision == Precision::double_ ? "double" : "single";
  report.gamma = problem_.kernel.gamma;
  report.isa = simd::active_isa();
  report.n_threads = context.pool->size();
  report.warnings = data_warnings(*problem_.x, problem_.kernel.type);
  std::optional<Warning> about_solution;
  if (finds_margin(params_.formulation)) about_solution = margin_warning(report.problems, params_.tol);
  if (!about_solution) about_solution = tolerance_warning(relative_gap_, params_.tol);
  if (about_solution) report.warnings.push_back(std::move(*about_solution));
  base::name_end_of_each(report, context.monitor);
  report.seconds["total"] = context.monitor != nullptr ? base::seconds_since(context.monitor->start()) : 0.0;
  data.report = std::move(report);
  return Model(std::make_shared<const ModelData>(std::move(data)));
}

}  // namespace dcsvm::svm
