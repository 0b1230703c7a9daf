// dcsvm/kernel.hpp.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "data/check.hpp"
#include "data/predict_call.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/kernel.hpp"
#include "kernel_matrix/cross_sums.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "simd/ops.hpp"

namespace dcsvm {

namespace {

using kernel_matrix::kPoints;
using kernel_matrix::kQueries;

void check(const DataView& x, const DataView& points, const KernelParams& kernel) {
  if (kernel.type == KernelType::precomputed) throw ParameterError("kernel must not be precomputed: its values are given");
  if (traits_of(kernel.type).gamma && !(kernel.gamma > 0.0 && std::isfinite(kernel.gamma)))
    throw ParameterError("gamma must be finite and > 0, got " + std::to_string(kernel.gamma));
  if (cols_of(x) != cols_of(points)) {
    throw DataError("X has " + std::to_string(cols_of(x)) + " columns, the points have " + std::to_string(cols_of(points)));
  }
}

double work(const DataView& x, const DataView& points) {
  return static_cast<double>(rows_of(x)) * static_cast<double>(rows_of(points));
}

/// Calls use(first, m, begin, end, tile) for each block of queries [first, first + m) and points [begin, end), whose values are
/// tile[r * kPoints + (j - begin)].
template <class T, class Use>
void each_block(const DataView& x, const DataView& points, const KernelParams& kernel, base::ThreadPool& pool, const Use& use) {
  const auto values = kernel_matrix::points_kernel<T>(points, kernel);
  pool.for_range(rows_of(x), kQueries, [&](Index first, Index last, int) {
    std::vector<T> tile(static_cast<std::size_t>((last - first) * kPoints));
    for (Index begin = 0; begin < values->size(); begin += kPoints) {
      const Index end = std::min(values->size(), begin + kPoints);
      values->block(x, first, last - first, begin, end, tile.data(), kPoints);
      use(first, last - first, begin, end, tile.data());
    }
  });
}

template <class T>
void values_as(const DataView& x, const DataView& points, const KernelParams& kernel, double* out, base::ThreadPool& pool) {
  const Index n = rows_of(points);
  each_block<T>(x, points, kernel, pool, [&](Index first, Index m, Index begin, Index end, const T* tile) {
    for (Index r = 0; r < m; ++r) std::copy_n(tile + r * kPoints, end - begin, out + (first + r) * n + begin);
  });
}

template <class T>
void sums_as(const DataView& x, const DataView& points, const double* coef, Index n_sums, const KernelParams& kernel, double* out,
             base::ThreadPool& pool) {
  if (n_sums == 1) {
    if (const auto sums = kernel_matrix::make_cross_sums<T>(points, kernel, coef, pool)) {
      return pool.for_range(rows_of(x), sums->grain(),
                            [&](Index begin, Index end, int) { sums->sum(x, begin, end - begin, out + begin); });
    }
  }
  const Index n = rows_of(points);
  std::fill_n(out, rows_of(x) * n_sums, 0.0);
  const auto dot = simd::ops<T>().dot;
  each_block<T>(x, points, kernel, pool, [&](Index first, Index m, Index begin, Index end, const T* tile) {
    for (Index s = 0; s < n_sums; ++s) {
      for (Index r = 0; r < m; ++r) out[(first + r) * n_sums + s] += dot(tile + r * kPoints, coef + s * n + begin, end - begin);
    }
  });
}

}  // namespace

void kernel_values(const DataView& x, const DataView& points, const KernelParams& kernel, Precision precision, double* out,
                   const PredictOptions& options) {
  check(x, points, kernel);
  data::run_prediction(x, work(x, points), options, [&](base::ThreadPool& pool) {
    data::check_data(points, pool, "points");
    data::check_domain(x, kernel.type, pool);
    data::check_domain(points, kernel.type, pool, "points");
    precision == Precision::single_ ? values_as<float>(x, points, kernel, out, pool)
                                    : values_as<double>(x, points, kernel, out, pool);
  });
}

void kernel_sums(const DataView& x, const DataView& points, const double* coef, Index n_sums, const KernelParams& kernel,
                 Precision precision, double* out, const PredictOptions& options) {
  check(x, points, kernel);
  for (Index i = 0; i < n_sums * rows_of(points); ++i) {
    if (!std::isfinite(coef[i]))
      throw DataError("coef must be finite, got " + std::to_string(coef[i]) + " at " + std::to_string(i));
  }
  data::run_prediction(x, work(x, points), options, [&](base::ThreadPool& pool) {
    data::check_data(points, pool, "points");
    data::check_domain(x, kernel.type, pool);
    data::check_domain(points, kernel.type, pool, "points");
    precision == Precision::single_ ? sums_as<float>(x, points, coef, n_sums, kernel, out, pool)
                                    : sums_as<double>(x, points, coef, n_sums, kernel, out, pool);
  });
}

}  // namespace dcsvm
