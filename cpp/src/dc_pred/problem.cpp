#include "dc_pred/problem.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

#include "data/check.hpp"
#include "data/labels.hpp"
#include "data/read.hpp"
#include "data/summary.hpp"
#include "dcsvm/errors.hpp"
#include "kernels/kernel_traits.hpp"
#include "kernels/resolve_kernel.hpp"
#include "simd/ops.hpp"

namespace dcsvm::dc_pred {

namespace {

/// What follows takes it for granted that squared distances between rows are finite floats. (NaN: another thread wrote into x
/// after it was checked.)
void check_norms(const DcPredProblem& problem) {
  constexpr float most = std::numeric_limits<float>::max() / 8;
  for (std::size_t i = 0; i < problem.used.size(); ++i) {
    if (problem.norms[static_cast<Index>(i)] <= most) continue;
    throw DataError("X: row " + std::to_string(problem.used[i]) +
                    " is too far from the others for single precision; scale the features");
  }
}

/// Copies the rows and subtracts their mean, which makes float products more exact. Support vectors of a given model must keep
/// their kernel values: rows are moved only under kernels of |x - z| then, whose values do not change; those of a ratio of
/// squares depend on where 0 is.
void copy_rows(const DataView& x, const DcPredParams& params, const base::Context& context, DcPredProblem& problem) {
  const Index n = static_cast<Index>(problem.used.size()), d = cols_of(x), stride = data::padded(d);
  const double bytes = 2.0 * static_cast<double>(n) * static_cast<double>(stride) * sizeof(float);
  if (bytes > static_cast<double>(context.cap_bytes)) {
    throw CapError("cache_size must be at least " + std::to_string(static_cast<long long>(bytes / 1048576) + 64) +
                   " MB: the rows are held twice as dense float32");
  }
  std::vector<double> sum(d, 0.0);
  const bool moves = kernels::takes_squared_distance(problem.kernel.type);
  if (moves || (params.landmarks != Landmarks::support && !kernels::is_ratio(problem.kernel.type))) {
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
  check_norms(problem);
  problem.rows = {problem.values.data(), problem.norms.data(), n, d, stride};
}

}  // namespace

DcPredProblem make_problem(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight,
                           bool regression, const base::Context& context) {
  const Index n = rows_of(x);
  const data::Summary summary(x);
  summary.check(*context.pool);
  regression ? data::check_targets(y, n) : data::check_labels(y, n);
  if (sample_weight != nullptr) data::check_weights(sample_weight, n);
  DcPredProblem problem;
  std::vector<int> class_of(n, 0);
  if (!regression) data::find_classes(y, n, problem.classes, class_of);
  const auto weight = [&](Index i) { return sample_weight != nullptr ? sample_weight[i] : 1.0; };
  for (Index i = 0; i < n; ++i) {
    if (weight(i) == 0) class_of[i] = -1;
  }
  std::vector<double> factor{1.0};  // of each class; a regression has one
  if (!regression) factor = data::class_factors(params.class_weight, params.balanced, problem.classes, class_of);
  std::vector<bool> has_rows(factor.size(), false);
  for (Index i = 0; i < n; ++i) {
    const int c = class_of[i];
    if (c < 0 || factor[c] == 0) continue;
    has_rows[c] = true;
    problem.used.push_back(i);
    problem.class_of.push_back(c);
    problem.upper.push_back(regression ? weight(i) / (2 * params.alpha) : params.C * factor[c] * weight(i));
    if (regression) problem.targets.push_back(y[i]);
  }
  if (!regression) data::check_alive(problem.classes, has_rows);
  if (!has_rows[0]) throw DataError("sample_weight: every row has weight 0");
  problem.kernel = kernels::resolve_kernel(summary, params.kernel, params.gamma_rule, *context.pool);
  constexpr double most = std::numeric_limits<float>::max() / 4;  // that kernel values in float can have
  if (problem.kernel.gamma > most) {
    std::ostringstream text;
    text << "gamma must be at most " << most << ", got " << problem.kernel.gamma;
    throw ParameterError(text.str());
  }
  copy_rows(x, params, context, problem);
  return problem;
}

}  // namespace dcsvm::dc_pred
