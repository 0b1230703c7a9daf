// dcsvm/ls_svm.hpp: training.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/call.hpp"
#include "base/random.hpp"
#include "base/stop_reason.hpp"
#include "base/vectors.hpp"
#include "data/check.hpp"
#include "data/labels.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/resolve_kernel.hpp"
#include "least_squares/ls_solver.hpp"
#include "least_squares/model_data.hpp"
#include "least_squares/params.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace {

constexpr Index kBlock = 2000;
constexpr Index kMembers = 6, kSteps = 1000, kPasses = 4;  // of a committee, of conjugate gradients, over all rows

least_squares::LsTask task_of(const LsSvmParams& params, Index n) {
  if (params.block_size > n) {
    throw ParameterError("block_size must be at most the rows, " + std::to_string(n) + ", got " +
                         std::to_string(params.block_size));
  }
  least_squares::LsTask task;
  task.method = params.method;
  task.tol = params.tol;
  task.block_size = params.block_size > 0 ? params.block_size : std::max<Index>(1, std::min(kBlock, n / 4));
  task.n_iter = params.n_iter;
  if (task.n_iter == 0) {
    const Index pass = (n + task.block_size - 1) / task.block_size;
    switch (params.method) {
      case LsMethod::exact: task.n_iter = kSteps; break;
      case LsMethod::nystrom: task.n_iter = kMembers; break;
      case LsMethod::kaczmarz:
      case LsMethod::matching_pursuit:
      case LsMethod::kaczmarz_mp: task.n_iter = kPasses * pass; break;
    }
  }
  return task;
}

/// Z of Andrecut (2016), Eq. (19), class by class, the bias's 0 last.
std::vector<double> targets(const double* y, Index n, Index n_targets, least_squares::LsSvmData& model) {
  std::vector<int> class_of;
  Index k = n_targets;
  if (model.regression) {
    data::check_targets(y, n * n_targets);
  } else {
    data::check_labels(y, n);
    data::find_classes(y, n, model.classes, class_of);
    k = static_cast<Index>(model.classes.size());
  }
  std::vector<double> z(k * (n + 1), 0.0);
  for (Index i = 0; i < n; ++i) {
    if (!model.regression) z[class_of[i] * (n + 1) + i] = 1.0;
    for (Index c = 0; model.regression && c < k; ++c) z[c * (n + 1) + i] = y[i * n_targets + c];
  }
  return z;
}

/// For each of the k columns of a regression's targets the power of two by which they are divided, so that squares of tiny or
/// huge ones neither vanish nor overflow, and no column's unit makes the others' residuals look small.
std::vector<int> exponents_of(const std::vector<double>& z, Index k, bool regression) {
  std::vector<int> exponents(static_cast<std::size_t>(k), 0);
  const auto rows = static_cast<Index>(z.size()) / k;
  for (Index c = 0; regression && c < k; ++c) {
    double largest = 0.0;
    for (Index i = c * rows; i < (c + 1) * rows; ++i) largest = std::max(largest, std::abs(z[i]));
    if (largest > 0.0) exponents[c] = std::ilogb(largest);
  }
  return exponents;
}

/// Multiplies each column by its power of two, or divides by it.
void scale_by(const std::vector<int>& exponents, bool divide, std::vector<double>& values) {
  const std::size_t rows = values.size() / exponents.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int exponent = exponents[i / rows];
    if (exponent != 0) values[i] = std::ldexp(values[i], divide ? -exponent : exponent);
  }
}

std::vector<double> start_of(const LsSvmInputs& inputs, Index n, Index k) {
  std::vector<double> start;
  if (inputs.coef == nullptr) return start;
  for (Index c = 0; c < k; ++c) {
    start.insert(start.end(), inputs.coef + c * n, inputs.coef + (c + 1) * n);
    start.push_back(inputs.intercept[c]);
  }
  if (!base::all_finite(start)) throw ParameterError("warm_start: a coefficient is not finite");
  return start;
}

/// The sum of S models (Eq. 68).
struct Sum {
  std::vector<double> w, residual;  ///< residual: of the models that know theirs
  double estimates = 0.0;           ///< of the other models' |residual| / |Z|
  Index models = 0;
};

/// Trains params.n_average models of different seeds, each from `start`; method exact, which has no seed, one.
Sum train_models(const least_squares::LsMatrix& matrix, const std::vector<double>& z, Index k, const least_squares::LsTask& task,
                 const std::vector<double>& start, const LsSvmParams& params, base::Context& context, LsSvmReport& report) {
  Progress progress;
  progress.phase = "solve";
  base::Random seeds(params.seed);
  Sum sum{std::vector<double>(z.size(), 0.0), std::vector<double>(z.size(), 0.0)};
  const Index wanted = params.method == LsMethod::exact ? 1 : params.n_average;
  while (sum.models < wanted && report.stop_reason != StopReason::cancelled) {
    context.seed = sum.models == 0 ? params.seed : seeds.next();
    const auto found = least_squares::solve_ls(matrix, z, k, task, start, context, progress);
    const bool cancelled = found.stop_reason == StopReason::cancelled;
    report.stop_reason = base::worse(report.stop_reason, found.stop_reason);
    report.residuals.insert(report.residuals.end(), found.residuals.begin(), found.residuals.end());
    report.n_iter += found.n_iter;
    report.n_regularised += found.n_regularised;
    report.peak_bytes = std::max(report.peak_bytes, static_cast<std::int64_t>(found.peak_bytes));
    if (sum.models > 0 && cancelled) break;  // a model that was stopped early is left out of the mean
    for (std::size_t i = 0; i < sum.w.size(); ++i) sum.w[i] += found.w[i];
    for (std::size_t i = 0; i < found.residual_of.size(); ++i) sum.residual[i] += found.residual_of[i];
    if (found.residual_of.empty()) sum.estimates += found.residual;
    ++sum.models;
  }
  return sum;
}

/// The model of the mean weights, multiplied by the columns' powers of two.
void set_weights(Sum sum, const std::vector<int>& exponents, least_squares::LsSvmData& model) {
  scale_by(exponents, false, sum.w);
  if (!base::all_finite(sum.w)) throw DataError("y: the coefficients overflow; scale the targets");
  const Index n = model.points.rows;
  for (double& v : sum.w) v /= static_cast<double>(sum.models);
  for (auto own = sum.w.begin(); own != sum.w.end(); own += n + 1) {
    model.coef.insert(model.coef.end(), own, own + n);
    model.intercept.push_back(own[n]);
  }
}

void solve(const LsSvmParams& params, std::vector<double> z, Index k, const LsSvmInputs& inputs, base::Context& context,
           least_squares::LsSvmData& model) {
  const DataView view = model.points.view();
  const Index n = model.points.rows;
  const least_squares::LsTask task = task_of(params, n);
  LsSvmReport& report = model.report;
  const auto rows = kernel_matrix::make_kernel_rows<float>(view, model.kernel, *context.pool);
  const std::vector<Index> all = base::index_range(n);
  const bool cholesky = least_squares::by_cholesky(task, n);
  const auto columns = rows->columns(all.data(), cholesky ? 0 : n, least_squares::kUnlimited, *context.pool);
  const auto exact_rows = kernel_matrix::make_kernel_rows<double>(view, model.kernel, *context.pool);
  const least_squares::LsMatrix matrix{*rows, *columns, *exact_rows, params.gamma_ls, *context.pool};
  report.seconds["prepare"] = base::seconds_since(context.monitor->start());

  const auto begin = base::Clock::now();
  const std::vector<int> exponents = exponents_of(z, k, model.regression);
  scale_by(exponents, true, z);
  std::vector<double> start = start_of(inputs, n, k);
  scale_by(exponents, true, start);
  if (!base::all_finite(start)) throw ParameterError("warm_start: its coefficients are too large for targets as small as y");
  Sum sum = train_models(matrix, z, k, task, start, params, context, report);
  // The residual of mean weights is the mean residual; of estimates, at most their mean.
  const double z_norm = least_squares::scale_of_targets(z, k);
  report.residual = (least_squares::norm(sum.residual) / z_norm + sum.estimates) / static_cast<double>(sum.models);
  set_weights(std::move(sum), exponents, model);
  report.block_size = task.block_size;
  report.n_kernel_values = rows->n_values() + exact_rows->n_values();
  report.peak_bytes += static_cast<std::int64_t>(columns->bytes() + model.points.bytes() + 3 * sizeof(double) * z.size());
  report.seconds["solve"] = base::seconds_since(begin);
}

}  // namespace

LsSvmModel train_ls_svm(const DataView& x, const double* y, const LsSvmParams& params, const LsSvmInputs& inputs,
                        const Hooks& hooks, Index n_targets) {
  least_squares::check_params(params);
  base::Call call(params.n_threads, params.seed, 0.0, hooks, params.max_seconds);
  if (cols_of(x) > std::numeric_limits<std::int32_t>::max()) throw DataError("X has more than 2^31 - 1 columns");
  data::check_data(x, call.pool);
  const Index n = rows_of(x);
  auto model = std::make_shared<least_squares::LsSvmData>();
  model->regression = params.regression;
  model->normalise = params.normalise;
  model->n_features = cols_of(x);
  auto z = targets(y, n, n_targets, *model);
  const Index k = static_cast<Index>(z.size()) / (n + 1);
  model->points = data::copy_points(x, base::index_range(n));
  if (params.normalise) least_squares::normalise_rows(model->points);
  model->kernel = kernels::resolve_kernel(model->points.view(), params.kernel, params.gamma_rule, call.pool);
  solve(params, std::move(z), k, inputs, call.context, *model);
  LsSvmReport& report = model->report;
  report.gamma = model->kernel.gamma;
  base::name_end(report, &call.monitor);
  report.isa = simd::active_isa();
  report.n_threads = call.pool.size();
  report.seconds["total"] = base::seconds_since(call.monitor.start());
  return LsSvmModel(std::move(model));
}

}  // namespace dcsvm
