#include "dc_pred/problem.hpp"

#include <algorithm>
#include <string>

#include "data/check.hpp"
#include "data/labels.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"
#include "kernels/resolve_kernel.hpp"
#include "simd/ops.hpp"

namespace dcsvm::dc_pred {

namespace {

void check_inputs(const DataView& x, const double* sample_weight, const base::Context& context) {
  data::check_data(x, *context.pool);
  if (sample_weight != nullptr) data::check_weights(sample_weight, rows_of(x));
}

/// Copies the rows and subtracts their mean, which makes float products more exact. Support vectors of a given model must keep
/// their kernel values: rows are moved only under rbf then, whose values do not change.
void copy_rows(const DataView& x, const DcPredParams& params, const base::Context& context, DcPredProblem& problem) {
  problem.kernel = kernels::resolve_kernel(x, params.kernel, params.gamma_rule, *context.pool);
  const Index n = static_cast<Index>(problem.used.size()), d = cols_of(x), stride = data::padded(d);
  const double bytes = 2.0 * static_cast<double>(n) * static_cast<double>(stride) * sizeof(float);
  if (bytes > static_cast<double>(context.cap_bytes)) {
    throw CapError("cache_size must be at least " + std::to_string(static_cast<long long>(bytes / 1048576) + 64) +
                   " MB: the rows are held twice as dense float32");
  }
  std::vector<double> sum(d, 0.0);
  if (params.landmarks == Landmarks::kmeans || problem.kernel.type == KernelType::rbf) {
    for (const Index i : problem.used) data::column_sums(x, i, i + 1, sum.data(), nullptr);
  }
  problem.shift.assign(stride, 0.0F);
  for (Index k = 0; k < d; ++k) problem.shift[k] = static_cast<float>(sum[k] / static_cast<double>(n));
  problem.values = base::Buffer<float>(n * stride);
  problem.norms = base::Buffer<float>(n);
  context.pool->for_range(n, 256, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      float* row = problem.values.data() + i * stride;
      std::fill(row + d, row + stride, 0.0F);
      data::copy_rows(x, problem.used.data() + i, 0, 1, row, stride);
      problem.norms[i] = simd::ops<float>().shift_row(row, problem.shift.data(), stride, row);
    }
  });
  problem.rows = {problem.values.data(), problem.norms.data(), n, d, stride};
}

}  // namespace

DcPredProblem classification_problem(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight,
                                     const base::Context& context) {
  const Index n = rows_of(x);
  check_inputs(x, sample_weight, context);
  data::check_labels(y, n);
  DcPredProblem problem;
  std::vector<int> class_of;
  data::find_classes(y, n, problem.classes, class_of);
  for (Index i = 0; sample_weight != nullptr && i < n; ++i) {
    if (sample_weight[i] == 0) class_of[i] = -1;
  }
  const auto factor = data::class_factors(params.class_weight, params.balanced, problem.classes, class_of);
  std::vector<bool> has_rows(problem.classes.size(), false);
  for (Index i = 0; i < n; ++i) {
    const int c = class_of[i];
    if (c < 0 || factor[c] == 0) continue;
    has_rows[c] = true;
    problem.used.push_back(i);
    problem.class_of.push_back(c);
    problem.upper.push_back(params.C * factor[c] * (sample_weight != nullptr ? sample_weight[i] : 1.0));
  }
  if (std::count(has_rows.begin(), has_rows.end(), false) > 0) throw DataError("y: a class has no row of positive weight");
  copy_rows(x, params, context, problem);
  return problem;
}

DcPredProblem regression_problem(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight,
                                 const base::Context& context) {
  const Index n = rows_of(x);
  check_inputs(x, sample_weight, context);
  data::check_targets(y, n);
  DcPredProblem problem;
  for (Index i = 0; i < n; ++i) {
    const double weight = sample_weight != nullptr ? sample_weight[i] : 1.0;
    if (weight == 0) continue;
    problem.used.push_back(i);
    problem.upper.push_back(weight / (2 * params.alpha));
    problem.targets.push_back(y[i]);
  }
  if (problem.used.empty()) throw DataError("sample_weight: every row has weight 0");
  problem.class_of.assign(problem.used.size(), 0);
  copy_rows(x, params, context, problem);
  return problem;
}

}  // namespace dcsvm::dc_pred
