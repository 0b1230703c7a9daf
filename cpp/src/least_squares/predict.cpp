#include "least_squares/predict.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/vectors.hpp"
#include "data/output.hpp"
#include "data/predict_call.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace least_squares {

namespace {

template <class T>
void decide_in(const LsSvmData& model, const DataView& x, base::ThreadPool& pool, double* out) {
  const auto kernel = kernel_matrix::points_kernel<T>(model.points.view(), model.kernel);
  const Index n = kernel->size(), k = static_cast<Index>(model.intercept.size());
  constexpr Index kRows = 4 * kernel_matrix::kQueries;  // the training rows are many: read them once for many queries
  pool.for_range(rows_of(x), kRows, [&](Index first, Index last, int) {
    const Index m = last - first;
    std::vector<T> tile(m * kernel_matrix::kPoints);
    data::PointStore own;
    if (model.normalise) {
      own = data::copy_points(x, base::index_range(m, first));
      normalise_rows(own);
    }
    const DataView queries = model.normalise ? own.view() : x;
    const Index from = model.normalise ? 0 : first;
    for (Index r = first; r < last; ++r) std::copy(model.intercept.begin(), model.intercept.end(), out + r * k);
    for (Index begin = 0; begin < n; begin += kernel_matrix::kPoints) {
      const Index end = std::min(n, begin + kernel_matrix::kPoints);
      kernel->block(queries, from, m, begin, end, tile.data(), kernel_matrix::kPoints);
      for (Index r = 0; r < m; ++r) {
        for (Index c = 0; c < k; ++c) {
          out[(first + r) * k + c] +=
              simd::ops<T>().dot(tile.data() + r * kernel_matrix::kPoints, model.coef.data() + c * n + begin, end - begin);
        }
      }
    }
    for (Index r = first; r < last; ++r) {
      if (!std::all_of(out + r * k, out + (r + 1) * k, [](double v) { return std::isfinite(v); })) data::overflow(r);
    }
  });
}

}  // namespace

void decide(const LsSvmData& model, const DataView& x, base::ThreadPool& pool, double* out) {
  model.points.rows <= kDoubleRows ? decide_in<double>(model, x, pool, out) : decide_in<float>(model, x, pool, out);
}

void softmax(double* decisions, Index n, Index k) {
  for (Index r = 0; r < n; ++r) {
    double* row = decisions + r * k;
    const double top = *std::max_element(row, row + k);
    double sum = 0.0;
    for (Index c = 0; c < k; ++c) sum += row[c] = std::exp(row[c] - top);
    for (Index c = 0; c < k; ++c) row[c] /= sum;
  }
}

}  // namespace least_squares

namespace {

void run(const LsSvmModel& model, const DataView& x, const PredictOptions& options, double* out) {
  const auto& m = data::data_for(model, x);
  const double values = static_cast<double>(rows_of(x)) * static_cast<double>(m.points.rows);
  data::run_prediction(x, values, options, [&](base::ThreadPool& pool) {
    data::check_domain(x, m.kernel.type, pool);
    least_squares::decide(m, x, pool, out);
  });
}

}  // namespace

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
