#include "least_squares/predict.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "data/output.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "simd/ops.hpp"

namespace dcsvm::least_squares {

namespace {

template <class T>
void decide_in(const LsSvmData& model, const DataView& x, base::ThreadPool& pool, double* out) {
  const auto kernel = kernel_matrix::points_kernel<T>(model.points.view(), model.kernel);
  const Index n = kernel->size(), k = static_cast<Index>(model.intercept.size());
  constexpr Index kRows = 4 * kernel_matrix::kQueries;  // the training rows are many: packed queries meet them once
  pool.for_range(rows_of(x), kRows, [&](Index first, Index last, int) {
    std::vector<T> tile(kRows * kernel_matrix::kPoints);
    const Index m = last - first;
    data::PointStore own;
    if (model.normalise) {
      std::vector<Index> idx(m);
      std::iota(idx.begin(), idx.end(), first);
      own = data::copy_points(x, idx);
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

}  // namespace dcsvm::least_squares
