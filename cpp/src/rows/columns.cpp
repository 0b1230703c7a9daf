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
Index PreparedRows<T>::near(Index, std::int32_t*) const {
  return 0;  // never asked: box() is 0
}
template <class T>
void PreparedRows<T>::compute_some(Index, Index, const std::int32_t*, Index, T* const*) const {}

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

namespace {

// What a worker needs to multiply a piece.
template <class T>
struct Scratch {
  explicit Scratch(Index grain) : tile(kRowsAtOnce * grain) {
    for (Index r = 0; r < kRowsAtOnce; ++r) at[r] = tile.data() + r * grain;
  }
  base::Buffer<T> tile;
  T* at[kRowsAtOnce];
  std::int32_t which[kRowsAtOnce];
  double coef[kRowsAtOnce];
};

// One piece, box by box.
template <class T>
void multiply_near(const PreparedRows<T>& rows, Index box, const double* coef, Index begin, Index end, Scratch<T>& mine,
                   double* out) {
  for (Index from = begin; from < end; from += box) {
    const Index to = std::min(end, from + box), count = rows.near(from, mine.which);
    if (count == 0) continue;
    rows.compute_some(from, to, mine.which, count, mine.at);
    for (Index t = 0; t < count; ++t) mine.coef[t] = coef[mine.which[t]];
    simd::ops<T>().accumulate(mine.coef, mine.at, count, 0, to - from, out + from);
  }
}

}  // namespace

template <class T>
void Columns<T>::multiply(const Index* rows, const double* coef, Index m, double* out, ThreadPool& pool) const {
  const auto& op = simd::ops<T>();
  std::vector<std::unique_ptr<Scratch<T>>> scratch(static_cast<std::size_t>(pool.size()));
  for (Index from = 0; from < m; from += kRowsAtOnce) {
    const Index count = std::min(kRowsAtOnce, m - from);
    const auto prepared = prepare(rows + from, count);
    pool.for_range(size(), grain(), [&](Index begin, Index end, int worker) {
      auto& mine = scratch[static_cast<std::size_t>(worker)];
      if (!mine) mine = std::make_unique<Scratch<T>>(grain());
      if (box() > 0) return multiply_near(*prepared, box(), coef + from, begin, end, *mine, out);
      prepared->compute(begin, end, mine->at);
      op.accumulate(coef + from, mine->at, count, 0, end - begin, out + begin);
    });
  }
}

template class PreparedRows<float>;
template class PreparedRows<double>;
template class Columns<float>;
template class Columns<double>;

}  // namespace dcsvm::rows
