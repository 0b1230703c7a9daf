#include "low_rank/predict.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "data/one_vs_one.hpp"
#include "data/predict_call.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace low_rank {

namespace {

/// Adds to dec (m x n_problems) what columns [begin, end) contribute; tile: m rows of kernel_matrix::kPoints.
void add_columns(const LowRankData& model, Index m, Index begin, Index end, float* tile, double* dec) {
  const Index n = n_problems(model), k = static_cast<Index>(model.used.size());
  for (Index r = 0; r < m; ++r) {
    float* row = tile + r * kernel_matrix::kPoints;
    if (is_fourier(model.features)) {
      for (Index j = begin; j < end; ++j) {
        row[j - begin] = static_cast<float>(std::cos(static_cast<double>(row[j - begin]) + model.phases[j]));
      }
    }
    for (Index p = 0; p < n; ++p) {
      dec[r * n + p] += simd::ops<float>().dot(row, model.coef.data() + p * k + begin, end - begin);
    }
  }
}

}  // namespace

Index winner(const double* dec, Index n_classes, MultiClass multi_class, std::vector<int>& votes) {
  if (n_classes > 2 && multi_class == MultiClass::one_vs_rest) return std::max_element(dec, dec + n_classes) - dec;
  return data::vote(dec, n_classes, votes, data::ZeroVotes::earlier);
}

void decide(const LowRankData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out) {
  const auto functions =
      functions_of<float>(model.kernel, !is_fourier(model.features), model.points, model.used, model.n_features);
  const Index n = n_problems(model), k = functions->size();
  pool.for_range(rows_of(x), kernel_matrix::kQueries, [&](Index first, Index last, int) {
    std::vector<float> tile((last - first) * kernel_matrix::kPoints);
    std::vector<double> dec((last - first) * n);
    std::vector<int> votes;
    for (Index at_row = first; at_row < last; at_row += kernel_matrix::kQueries) {
      const Index m = std::min(kernel_matrix::kQueries, last - at_row);
      for (Index r = 0; r < m; ++r) std::copy(model.intercept.begin(), model.intercept.end(), dec.begin() + r * n);
      for (Index begin = 0; begin < k; begin += kernel_matrix::kPoints) {
        const Index end = std::min(k, begin + kernel_matrix::kPoints);
        functions->block(x, at_row, m, begin, end, tile.data(), kernel_matrix::kPoints);
        add_columns(model, m, begin, end, tile.data(), dec.data());
      }
      for (Index r = 0; r < m; ++r) {
        const double* row = dec.data() + r * n;
        if (!std::all_of(row, row + n, [](double v) { return std::isfinite(v); })) data::overflow(at_row + r);
        if (out.decisions != nullptr) std::copy(row, row + n, out.decisions + (at_row + r) * n);
        if (out.labels != nullptr) {
          const Index c = winner(row, static_cast<Index>(model.classes.size()), model.multi_class, votes);
          out.labels[at_row + r] = model.classes[c];
        }
      }
    }
  });
}

}  // namespace low_rank

namespace {

void run(const LowRankModel& model, const DataView& x, const PredictOptions& options, const data::Output& out) {
  const auto& m = data::data_for(model, x);
  const double values = static_cast<double>(rows_of(x)) * static_cast<double>(m.used.size());
  data::run_prediction(x, values, options, [&](base::ThreadPool& pool) {
    data::check_domain(x, m.kernel.type, pool);
    low_rank::decide(m, x, pool, out);
  });
}

}  // namespace

void decision_function(const LowRankModel& model, const DataView& x, double* out, const PredictOptions& options) {
  run(model, x, options, {out, nullptr});
}

void predict(const LowRankModel& model, const DataView& x, double* out, const PredictOptions& options) {
  run(model, x, options, {nullptr, out});
}

}  // namespace dcsvm
