#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "rows/row_source.hpp"
#include "simd/ops.hpp"

namespace dcsvm::rows {

namespace {
constexpr Index kRowsAtOnce = 256;  // rows of a product whose tile (rows x grain) stays near L2
}

template <class T>
void Columns<T>::block(const Index* rows, Index m, T* out, Index ld, ThreadPool& pool) const {
  std::vector<T*> at(static_cast<std::size_t>(m));
  for (Index r = 0; r < m; ++r) at[static_cast<std::size_t>(r)] = out + r * ld;
  block(rows, m, at.data(), pool);
}

template <class T>
void Columns<T>::block(const Index* rows, Index m, T* const* out, ThreadPool& pool) const {
  if (m == 0) return;
  const auto prepared = prepare(rows, m);
  pool.for_range(size(), grain(), [&](Index begin, Index end, int) {
    std::vector<T*> at(static_cast<std::size_t>(m));
    for (Index r = 0; r < m; ++r) at[static_cast<std::size_t>(r)] = out[r] + begin;
    prepared->compute(begin, end, at.data());
  });
}

template <class T>
void Columns<T>::multiply(const Index* rows, const double* coef, Index m, double* out, ThreadPool& pool) const {
  const auto& op = simd::ops<T>();
  std::vector<base::Buffer<T>> tiles(static_cast<std::size_t>(pool.size()));
  for (Index from = 0; from < m; from += kRowsAtOnce) {
    const Index count = std::min(kRowsAtOnce, m - from);
    const auto prepared = prepare(rows + from, count);
    pool.for_range(size(), grain(), [&](Index begin, Index end, int worker) {
      auto& tile = tiles[static_cast<std::size_t>(worker)];
      if (tile.size() == 0) tile = base::Buffer<T>(kRowsAtOnce * grain());
      T* at[kRowsAtOnce];
      for (Index r = 0; r < count; ++r) at[r] = tile.data() + r * grain();
      prepared->compute(begin, end, at);
      op.accumulate(coef + from, at, count, 0, end - begin, out + begin);
    });
  }
}

template class Columns<float>;
template class Columns<double>;

}  // namespace dcsvm::rows
