// dcsvm/ridge.hpp.
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/call.hpp"
#include "base/stop_reason.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/resolve_kernel.hpp"
#include "least_squares/params.hpp"
#include "least_squares/ridge.hpp"
#include "simd/ops.hpp"
#include "svm/model/build_model.hpp"

namespace dcsvm {

namespace {

/// K of the rows that take part.
template <class T>
class System {
 public:
  System(const data::Summary& x, const KernelParams& kernel, const std::vector<Index>& used, base::ThreadPool& pool)
      : all_(kernel_matrix::make_kernel_rows<T>(x, kernel, pool)) {
    if (static_cast<Index>(used.size()) < rows_of(x)) used_ = kernel_matrix::make_subset(*all_, used);
  }
  const kernel_matrix::RowSource<T>& matrix() const { return used_ ? *used_ : *all_; }

 private:
  std::unique_ptr<kernel_matrix::RowSource<T>> all_, used_;
};

Model solved(const data::Summary& x, const double* y, const RidgeParams& params, const KernelParams& kernel, const double* weight,
             base::Context& context) {
  const Index n = rows_of(x);
  std::vector<Index> used;  // rows of positive weight
  std::vector<double> targets, lambda;
  std::vector<int> class_of(n, -1);
  for (Index i = 0; i < n; ++i) {
    if (weight != nullptr && weight[i] == 0) continue;
    class_of[i] = 0;
    used.push_back(i);
    targets.push_back(y[i]);
    lambda.push_back(params.alpha / (weight != nullptr ? weight[i] : 1.0));
  }
  if (used.empty()) throw DataError("sample_weight: every row has weight 0");
  const System<double> exact(x, kernel, used, *context.pool);
  std::unique_ptr<const System<float>> rounded;
  if (params.precision == Precision::single_) rounded = std::make_unique<const System<float>>(x, kernel, used, *context.pool);
  const least_squares::RidgeTask task{targets.data(), lambda.data(), params.solver, params.tol, params.max_iter};
  const least_squares::RidgeMatrix k{rounded ? &rounded->matrix() : nullptr, exact.matrix()};
  const least_squares::RidgeSolution solution = least_squares::solve_ridge(k, task, context);

  std::vector<double> coef(n, 0.0);
  const std::vector<double> classes;
  Report report;
  for (std::size_t p = 0; p < used.size(); ++p) {
    coef[used[p]] = solution.alpha[p];
    report.violation = std::max(report.violation, std::abs(solution.residual[p]));
    report.objective -= solution.alpha[p] * (targets[p] + solution.residual[p]);  // a'Ka + a'La - 2a'y with (K + L) a = y - r
  }
  svm::ModelData data = svm::build_expansion({x, kernel.type == KernelType::precomputed, classes, class_of, coef}, {0.0});
  report.tol = params.tol;
  report.stop_reason = solution.stop_reason;
  base::name_end(report, context.monitor);
  report.n_iter = solution.n_iter;
  report.n_kernel_values = exact.matrix().n_values() + (rounded ? rounded->matrix().n_values() : 0);
  report.n_support = static_cast<Index>(data.support.size());
  report.peak_cache_bytes = static_cast<std::int64_t>(solution.peak_bytes);
  report.solver = name_of(solution.used);
  report.solver_reason = params.solver == RidgeSolver::automatic ? "chosen by the number of rows and cache_size" : "asked for";
  report.precision = solution.precision == Precision::double_ ? "double" : "single";
  report.gamma = kernel.gamma;
  report.isa = simd::active_isa();
  report.n_threads = context.pool->size();
  report.seconds["solve"] = report.seconds["total"] = base::seconds_since(context.monitor->start());
  data.formulation = Formulation::kernel_ridge;
  data.kernel = kernel;
  data.precision = solution.precision;
  data.fit_intercept = false;
  data.report = std::move(report);
  return Model(std::make_shared<const svm::ModelData>(std::move(data)));
}

}  // namespace

Model train_ridge(const DataView& x, const double* y, const RidgeParams& params, const TrainInputs& inputs, const Hooks& hooks) {
  least_squares::check_params(params);
  if (inputs.warm_start_alpha != nullptr) throw ParameterError("warm_start_alpha is not for kernel ridge regression");
  if (!inputs.checkpoint.empty()) throw ParameterError("checkpoint is not for kernel ridge regression");
  base::Call call(params.n_threads, params.seed, params.cache_size, hooks, params.max_seconds);
  const data::Summary summary(x);
  summary.check(call.pool, params.kernel.type != KernelType::precomputed);
  data::check_targets(y, rows_of(x));
  if (inputs.sample_weight != nullptr) data::check_weights(inputs.sample_weight, rows_of(x));
  if (params.kernel.type == KernelType::precomputed && rows_of(x) != cols_of(x))
    throw DataError("X must be square for the precomputed kernel");
  const KernelParams kernel = kernels::resolve_kernel(summary, params.kernel, params.gamma_rule, call.pool);
  return solved(summary, y, params, kernel, inputs.sample_weight, call.context);
}

}  // namespace dcsvm
