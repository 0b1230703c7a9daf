// dcsvm/ls_svm.hpp: training and prediction.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/call.hpp"
#include "base/random.hpp"
#include "data/check.hpp"
#include "data/labels.hpp"
#include "data/predict_call.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernel_matrix/scaled_rows.hpp"
#include "kernels/resolve_kernel.hpp"
#include "least_squares/ls_solver.hpp"
#include "least_squares/model_data.hpp"
#include "least_squares/params.hpp"
#include "least_squares/predict.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace {

constexpr Index kBlock = 2000;
constexpr Index kMembers = 6, kSteps = 1000, kCovers = 4;

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
    const Index cover = (n + task.block_size - 1) / task.block_size;
    task.n_iter = params.method == LsMethod::exact ? kSteps : params.method == LsMethod::nystrom ? kMembers : kCovers * cover;
  }
  return task;
}

/// Z of Eq. (19), class by class, the bias's 0 last.
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

/// The power of two by which regression targets are divided, so that squares of tiny or huge ones neither vanish nor overflow.
int exponent_of(const std::vector<double>& z, bool regression) {
  double largest = 0.0;
  for (const double v : z) largest = std::max(largest, std::abs(v));
  return regression && largest > 0.0 ? std::ilogb(largest) : 0;
}

void scale_by(int exponent, std::vector<double>& values) {
  for (double& v : values) v = std::ldexp(v, exponent);
}

std::vector<double> start_of(const LsSvmInputs& inputs, Index n, Index k) {
  std::vector<double> start;
  if (inputs.coef == nullptr) return start;
  for (Index c = 0; c < k; ++c) {
    start.insert(start.end(), inputs.coef + c * n, inputs.coef + (c + 1) * n);
    start.push_back(inputs.intercept[c]);
  }
  if (!std::all_of(start.begin(), start.end(), [](double v) { return std::isfinite(v); }))
    throw ParameterError("warm_start: a coefficient is not finite");
  return start;
}

/// Adds up what the S trainings did.
void collect(const least_squares::LsResult& found, LsSvmReport& report) {
  report.stop_reason = std::max(report.stop_reason, found.stop_reason);  // cancelled over max_iter over converged
  report.residuals.insert(report.residuals.end(), found.residuals.begin(), found.residuals.end());
  report.n_iter += found.n_iter;
  report.n_regularised += found.n_regularised;
  report.peak_bytes = std::max(report.peak_bytes, static_cast<std::int64_t>(found.peak_bytes));
}

void solve(const LsSvmParams& params, std::vector<double> z, Index k, const LsSvmInputs& inputs, base::Context& context,
           least_squares::LsSvmData& model) {
  const DataView view = model.points.view();
  const Index n = model.points.rows;
  const least_squares::LsTask task = task_of(params, n);
  LsSvmReport& report = model.report;
  auto rows = kernel_matrix::make_scaled_rows(view, model.kernel, *context.pool);
  if (!rows) rows = kernel_matrix::make_kernel_rows<float>(view, model.kernel, *context.pool);
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  const bool cholesky = least_squares::by_cholesky(task, n);
  const auto columns = rows->columns(all.data(), cholesky ? 0 : n, std::numeric_limits<std::size_t>::max() / 2, *context.pool);
  std::unique_ptr<kernel_matrix::RowSource<double>> exact_rows;
  if (cholesky) exact_rows = kernel_matrix::make_kernel_rows<double>(view, model.kernel, *context.pool);
  const least_squares::LsMatrix matrix{*rows, *columns, exact_rows.get(), params.gamma_ls, *context.pool};
  report.seconds["prepare"] = base::seconds_since(context.monitor->start());
  const auto start = base::Clock::now();
  Progress progress;
  progress.phase = "solve";
  base::Random seeds(params.seed);
  const int exponent = exponent_of(z, model.regression);
  scale_by(-exponent, z);
  std::vector<double> begin = start_of(inputs, n, k);
  scale_by(-exponent, begin);
  if (!std::all_of(begin.begin(), begin.end(), [](double v) { return std::isfinite(v); }))
    throw ParameterError("warm_start: its coefficients are too large for targets as small as y");
  std::vector<double> sum(z.size(), 0.0), residual(z.size(), 0.0);
  double estimates = 0.0;  // of residuals that are not known
  Index models = 0;
  while (models < params.n_average && report.stop_reason != StopReason::cancelled) {
    context.seed = models == 0 ? params.seed : seeds.next();
    const auto found = least_squares::solve_ls(matrix, z, k, task, begin, context, progress);
    collect(found, report);
    if (models > 0 && found.stop_reason == StopReason::cancelled) break;  // it has not got as far as the others
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += found.w[i];
    for (std::size_t i = 0; i < found.residual_of.size(); ++i) residual[i] += found.residual_of[i];
    if (found.residual_of.empty()) estimates += found.residual;
    ++models;
  }
  // The residual of mean weights is the mean residual; of estimates, at most their mean.
  const double scale = std::max(least_squares::norm(z), std::numeric_limits<double>::min());
  report.residual = (least_squares::norm(residual) / scale + estimates) / static_cast<double>(models);
  scale_by(exponent, sum);
  if (!std::all_of(sum.begin(), sum.end(), [](double v) { return std::isfinite(v); }))
    throw DataError("y: the coefficients overflow; scale the targets");
  for (Index c = 0; c < k; ++c) {
    for (Index i = 0; i < n; ++i) model.coef.push_back(sum[c * (n + 1) + i] / static_cast<double>(models));
    model.intercept.push_back(sum[c * (n + 1) + n] / static_cast<double>(models));
  }
  report.block_size = task.block_size;
  report.n_kernel_values = rows->n_values();
  report.peak_bytes += static_cast<std::int64_t>(columns->bytes() + model.points.bytes() + 3 * sizeof(double) * z.size());
  report.seconds["solve"] = base::seconds_since(start);
}

void run(const LsSvmModel& model, const DataView& x, const PredictOptions& options, double* out) {
  const auto& m = data::data_for(model, x);
  const double values = static_cast<double>(rows_of(x)) * static_cast<double>(m.points.rows);
  data::answer(x, values, options, [&](base::ThreadPool& pool) { least_squares::decide(m, x, pool, out); });
}

}  // namespace

LsSvmModel train_ls_svm(const DataView& x, const double* y, const LsSvmParams& params, const LsSvmInputs& inputs,
                        const Hooks& hooks, Index n_targets) {
  least_squares::check_params(params);
  base::Call call(params.n_threads, params.seed, 0.0, hooks);
  if (cols_of(x) > std::numeric_limits<std::int32_t>::max()) throw DataError("X has more than 2^31 - 1 columns");
  data::check_data(x, call.pool);
  const Index n = rows_of(x);
  auto model = std::make_shared<least_squares::LsSvmData>();
  model->regression = params.regression;
  model->normalise = params.normalise;
  model->n_features = cols_of(x);
  auto z = targets(y, n, n_targets, *model);
  const Index k = static_cast<Index>(z.size()) / (n + 1);
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  model->points = data::copy_points(x, all);
  if (params.normalise) least_squares::normalise_rows(model->points);
  model->kernel = kernels::resolve_kernel(model->points.view(), params.kernel, params.gamma_rule, call.pool);
  solve(params, std::move(z), k, inputs, call.context, *model);
  LsSvmReport& report = model->report;
  report.gamma = model->kernel.gamma;
  report.isa = simd::active_isa();
  report.n_threads = call.pool.size();
  report.seconds["total"] = base::seconds_since(call.monitor.start());
  return LsSvmModel(std::move(model));
}

void decision_function(const LsSvmModel& model, const DataView& x, double* out, const PredictOptions& options) {
  run(model, x, options, out);
}

void predict(const LsSvmModel& model, const DataView& x, double* out, const PredictOptions& options) {
  if (!model.empty() && model.regression()) return run(model, x, options, out);
  const Index k = model.empty() ? 0 : decision_columns(model), n = rows_of(x);
  std::vector<double> decisions(n * k);
  run(model, x, options, decisions.data());
  for (Index r = 0; r < n; ++r) {
    const double* row = decisions.data() + r * k;
    out[r] = model.classes()[std::max_element(row, row + k) - row];
  }
}

void predict_proba(const LsSvmModel& model, const DataView& x, double* out, const PredictOptions& options) {
  if (!model.empty() && model.regression()) throw DataError("a regression model has no probabilities");
  run(model, x, options, out);
  least_squares::softmax(out, rows_of(x), decision_columns(model));
}

}  // namespace dcsvm
