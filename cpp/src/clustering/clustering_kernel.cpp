#include "clustering/clustering_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/kernel_traits.hpp"

namespace dcsvm::clustering {

namespace {

constexpr Index kPairsFrom = 256;  ///< points whose pairs give the median

/// K of the points with each other, row-major.
template <class T>
std::vector<T> kernel_of(const kernel_matrix::RowSource<T>& rows, const std::vector<Index>& points, base::Context& context) {
  const Index m = static_cast<Index>(points.size());
  std::vector<T> kernel(points.size() * points.size());
  rows.columns(points.data(), m, context.cap_bytes / 4, *context.pool)->block(points.data(), m, kernel.data(), m, *context.pool);
  return kernel;
}

/// Median over pairs of the points of |K_ij| / sqrt(K_ii K_jj).
template <class T>
double median_cosine(const kernel_matrix::RowSource<T>& rows, const std::vector<Index>& points, base::Context& context) {
  const Index m = static_cast<Index>(points.size());
  const auto at = [m](Index i, Index j) { return static_cast<std::size_t>(i * m + j); };
  const std::vector<T> kernel = kernel_of(rows, points, context);
  std::vector<double> pairs;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double norms = static_cast<double>(kernel[at(i, i)]) * static_cast<double>(kernel[at(j, j)]);
      const double value = std::abs(static_cast<double>(kernel[at(i, j)]));
      pairs.push_back(norms > 0.0 ? value / std::sqrt(norms) : value > 0.0 ? 1.0 : 0.0);
    }
  }
  const auto middle = pairs.begin() + static_cast<Index>(pairs.size() / 2);
  std::nth_element(pairs.begin(), middle, pairs.end());
  return *middle;
}

template <class T>
std::vector<Index> pair_sample(const kernel_matrix::RowSource<T>& rows, base::Context& context) {
  base::Random random(context.seed);
  std::vector<Index> everyone(static_cast<std::size_t>(rows.size()));
  std::iota(everyone.begin(), everyone.end(), Index{0});
  return base::sample(everyone, kPairsFrom, random);
}

}  // namespace

template <class T>
double typical_cosine(const kernel_matrix::RowSource<T>& rows, base::Context& context) {
  return rows.size() < 2 ? 1.0 : median_cosine(rows, pair_sample(rows, context), context);
}

template <class T>
double share_below(const kernel_matrix::RowSource<T>& rows, double value, base::Context& context) {
  if (rows.size() < 2) return 0.0;
  const std::vector<T> kernel = kernel_of(rows, pair_sample(rows, context), context);
  const auto below = std::count_if(kernel.begin(), kernel.end(), [&](T k) { return std::abs(static_cast<double>(k)) <= value; });
  return static_cast<double>(below) / static_cast<double>(kernel.size());
}

template <class T>
KernelParams clustering_kernel(const data::Summary& x, const KernelParams& kernel, const kernel_matrix::RowSource<T>& rows,
                               base::Context& context, bool* local) {
  if (local != nullptr) *local = false;
  if (rows.size() < 2) return kernel;
  const std::vector<Index> points = pair_sample(rows, context);
  double median = median_cosine(rows, points, context);
  if (!(median < std::exp(-1.0))) return kernel;
  if (local != nullptr) *local = true;
  if (!kernels::takes_distance(kernel.type)) return kernel;
  KernelParams wide = kernel;
  // A value that (almost) underflowed does not give a distance: widen the kernel and try again.
  while (median < 1e-30 && wide.gamma > 1e-300) {
    wide.gamma /= 64.0;
    median = median_cosine(*kernel_matrix::make_kernel_rows<T>(x, wide, *context.pool), points, context);
  }
  if (median > 0.0 && median < 1.0) wide.gamma = std::min(kernel.gamma, wide.gamma / -std::log(median));
  return wide;
}

template double typical_cosine<float>(const kernel_matrix::RowSource<float>&, base::Context&);
template double typical_cosine<double>(const kernel_matrix::RowSource<double>&, base::Context&);
template double share_below<float>(const kernel_matrix::RowSource<float>&, double, base::Context&);
template double share_below<double>(const kernel_matrix::RowSource<double>&, double, base::Context&);
template KernelParams clustering_kernel<float>(const data::Summary&, const KernelParams&, const kernel_matrix::RowSource<float>&,
                                               base::Context&, bool*);
template KernelParams clustering_kernel<double>(const data::Summary&, const KernelParams&,
                                                const kernel_matrix::RowSource<double>&, base::Context&, bool*);

}  // namespace dcsvm::clustering
