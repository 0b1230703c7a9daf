#include "svm/prediction/single_error.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/summary.hpp"
#include "kernels/kernel_traits.hpp"
#include "svm/prediction/decide.hpp"
#include "svm/prediction/sums.hpp"

namespace dcsvm::svm {
namespace {

// Largest difference of a decision value between float and double kernel values, over up to 64 of the model's support vectors as
// queries. An estimate, not a bound: callers keep a margin. Not for clustered models, nor a precomputed kernel.
double single_error(const ModelData& model) {
  const Index l = model.points.rows, n = std::min(l, kernel_matrix::kQueries);
  if (n == 0) return 0.0;
  std::vector<Index> chosen;
  chosen.reserve(n);
  for (Index i = 0; i < n; ++i) chosen.push_back(i * l / n);
  const data::PointStore queries = data::copy_points(model.points.view(), chosen);
  const auto values = static_cast<std::size_t>(n * model.n_pairs());
  std::vector<double> single(values), exact(values);
  ModelData copy = model;
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    copy.precision = precision;
    data::Output out;
    out.decisions = (precision == Precision::single_ ? single : exact).data();
    decide(copy, queries.view(), base::ThreadPool::serial(), out);
  }
  double largest = 0.0;
  for (std::size_t v = 0; v < values; ++v) largest = std::max(largest, std::abs(single[v] - exact[v]));
  return largest;
}

// About the same without computing values: sqrt(sum coef^2) of a pair times the rounding error of K in float. For rbf, most of
// whose values are small, it is far too large.
double estimated_single_error(const ModelData& model) {
  double coef2 = 0;
  for (const double c : model.sv_coef) coef2 += c * c;
  const double norm2 = model.points.rows > 0 ? data::Summary(model.points.view()).largest_norm2(base::ThreadPool::serial()) : 0.0;
  const double scale = 1.0 + kernels::single_error_scale(model.kernel, norm2);
  return 0x1.0p-24 * scale * std::sqrt(coef2 / static_cast<double>(model.n_classes() - 1));
}

}  // namespace

bool decides_in_single(const ModelData& model, double negligible) {
  constexpr double kLargestMeasured = 8e-5;
  if (estimated_single_error(model) < negligible) return true;
  // Of rbf the estimate says little.
  return model.kernel.type == KernelType::rbf && !model.clustered() && single_error(model) < kLargestMeasured;
}

}  // namespace dcsvm::svm
