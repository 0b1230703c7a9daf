#include "clustering/kernel_centres.hpp"

#include <algorithm>

#include "clustering/kernel_lloyd.hpp"

namespace dcsvm::clustering {

namespace {

constexpr Index kTileValues = Index{1} << 18;  ///< kernel values of one assignment tile: stays in L2
constexpr Index kKernelChunk = 256;

/// Sum in double over a fixed set of eight lanes, so that it vectorises without reordering.
template <class T>
double sum(const T* v, Index n) {
  double lane[8] = {};
  Index j = 0;
  for (; j + 8 <= n; j += 8) {
    for (int l = 0; l < 8; ++l) lane[l] += static_cast<double>(v[j + l]);
  }
  for (; j < n; ++j) lane[0] += static_cast<double>(v[j]);
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

}  // namespace

void KernelCentres::append(const KernelCentres& from, Index c) {
  sample.insert(sample.end(), from.sample.begin() + from.first[c], from.sample.begin() + from.first[c + 1]);
  first.push_back(static_cast<Index>(sample.size()));
  constant.push_back(from.constant[c]);
}

template <class T>
KernelCentres fit_centres(const kernel_matrix::RowSource<T>& rows, const std::vector<Index>& points, Index clusters,
                          int max_iterations, base::Random& random, base::Context& context) {
  const Index m = static_cast<Index>(points.size());
  std::vector<T> kernel(m * m);
  rows.columns(points.data(), m, context.cap_bytes / 4, *context.pool)->block(points.data(), m, kernel.data(), m, *context.pool);
  const std::vector<std::int32_t> member = kernel_lloyd(kernel.data(), m, clusters, max_iterations, random, *context.pool);

  const Index k = m == 0 ? 0 : 1 + *std::max_element(member.begin(), member.end());
  KernelCentres centres;
  for (Index c = 0; c < k; ++c) {
    std::vector<Index> inside;
    for (Index i = 0; i < m; ++i) {
      if (member[i] == c) inside.push_back(i);
    }
    double total = 0.0;
    for (const Index i : inside) {
      for (const Index j : inside) total += static_cast<double>(kernel[i * m + j]);
      centres.sample.push_back(points[i]);
    }
    const double w = static_cast<double>(inside.size());
    centres.constant.push_back(total / (w * w));
    centres.first.push_back(static_cast<Index>(centres.sample.size()));
  }
  return centres;
}

template <class T>
void score_block(const kernel_matrix::Columns<T>& columns, const KernelCentres& centres, const Index* points, Index n,
                 std::vector<T>& tile, const std::function<void(Index, const double*)>& fn) {
  const Index m = columns.size(), k = centres.size();
  if (n <= 0 || k == 0) return;
  const Index at_once = std::clamp<Index>(kTileValues / std::max<Index>(m, 1), 16, 256);
  tile.resize(static_cast<std::size_t>(std::max(static_cast<Index>(tile.size()), at_once * m)));
  std::vector<double> score(static_cast<std::size_t>(k));
  for (Index begin = 0; begin < n; begin += at_once) {
    const Index count = std::min(at_once, n - begin);
    columns.block(points + begin, count, tile.data(), m, base::ThreadPool::serial());
    for (Index i = 0; i < count; ++i) {
      const T* values = tile.data() + i * m;
      for (Index c = 0; c < k; ++c) {
        const Index lo = centres.first[c], hi = centres.first[c + 1];
        score[c] = centres.constant[c] - 2.0 * sum(values + lo, hi - lo) / static_cast<double>(hi - lo);
      }
      fn(begin + i, score.data());
    }
  }
}

template <class T>
void for_each_score(const kernel_matrix::RowSource<T>& rows, const KernelCentres& centres, const Index* points, Index n,
                    base::Context& context, const std::function<void(Index, const double*)>& fn) {
  const Index m = static_cast<Index>(centres.sample.size());
  if (n <= 0 || centres.size() == 0) return;
  const auto columns = rows.columns(centres.sample.data(), m, context.cap_bytes / 4, *context.pool);
  std::vector<std::vector<T>> tiles(static_cast<std::size_t>(context.pool->size()));
  context.pool->for_range(n, kKernelChunk, [&](Index begin, Index end, int worker) {
    std::vector<Index> ids(static_cast<std::size_t>(end - begin));
    for (Index i = begin; i < end; ++i) ids[i - begin] = points != nullptr ? points[i] : i;
    score_block<T>(*columns, centres, ids.data(), end - begin, tiles[worker],
                   [&](Index i, const double* score) { fn(begin + i, score); });
  });
}

#define DCSVM_INSTANTIATE(T)                                                                                                     \
  template KernelCentres fit_centres<T>(const kernel_matrix::RowSource<T>&, const std::vector<Index>&, Index, int,               \
                                        base::Random&, base::Context&);                                                          \
  template void score_block<T>(const kernel_matrix::Columns<T>&, const KernelCentres&, const Index*, Index, std::vector<T>&,     \
                               const std::function<void(Index, const double*)>&);                                                \
  template void for_each_score<T>(const kernel_matrix::RowSource<T>&, const KernelCentres&, const Index*, Index, base::Context&, \
                                  const std::function<void(Index, const double*)>&);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::clustering
