#include "clustering/clustering_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "rows/kernel_rows.hpp"

namespace dcsvm::clustering {

namespace {

constexpr Index kPairsFrom = 256;  ///< points whose pairs give the median

template <class T>
double median_value(const rows::RowSource<T>& rows, const std::vector<Index>& points, base::Context& context) {
  const Index m = static_cast<Index>(points.size());
  std::vector<T> kernel(static_cast<std::size_t>(m * m));
  rows.columns(points.data(), m, context.cap_bytes / 4, *context.pool)->block(points.data(), m, kernel.data(), m, *context.pool);
  std::vector<T> pairs;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < i; ++j) pairs.push_back(kernel[static_cast<std::size_t>(i * m + j)]);
  }
  const auto middle = pairs.begin() + static_cast<Index>(pairs.size() / 2);
  std::nth_element(pairs.begin(), middle, pairs.end());
  return static_cast<double>(*middle);
}

}  // namespace

template <class T>
KernelParams clustering_kernel(const DataView& x, const KernelParams& kernel, const rows::RowSource<T>& rows,
                               base::Context& context) {
  if (kernel.type != KernelType::rbf || rows.size() < 2) return kernel;
  base::Random random(context.seed);
  std::vector<Index> everyone(static_cast<std::size_t>(rows.size()));
  std::iota(everyone.begin(), everyone.end(), Index{0});
  const std::vector<Index> points = base::sample(everyone, kPairsFrom, random);

  KernelParams wide = kernel;
  double median = median_value(rows, points, context);
  const double local = std::exp(-1.0);
  if (!(median < local)) return kernel;
  // A value that underflowed, or nearly, tells no distance: widen and look again.
  while (median < 1e-30 && wide.gamma > 1e-300) {
    wide.gamma /= 64.0;
    median = median_value(*rows::make_kernel_rows<T>(x, wide, *context.pool), points, context);
  }
  if (median > 0.0 && median < 1.0) wide.gamma = std::min(kernel.gamma, wide.gamma / -std::log(median));
  return wide;
}

template KernelParams clustering_kernel<float>(const DataView&, const KernelParams&, const rows::RowSource<float>&,
                                               base::Context&);
template KernelParams clustering_kernel<double>(const DataView&, const KernelParams&, const rows::RowSource<double>&,
                                                base::Context&);

}  // namespace dcsvm::clustering
