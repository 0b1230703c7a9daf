#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "rows/row_source.hpp"
#include "simd/ops.hpp"

namespace dcsvm::rows {

namespace {
constexpr Index kRowsAtOnce = 64;     // rows of a product whose tile (rows x grain) stays in L2
constexpr Index kBoxRowsAtOnce = 256; // rows tested against a box together
constexpr Index kGroups = 16;         // groups of rows that one pass over the columns takes
}  // namespace

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

// What a worker needs to multiply a piece: a tile of `rows` rows.
template <class T>
struct Scratch {
  Scratch(Index rows, Index stride) : tile(rows * stride), at(static_cast<std::size_t>(rows)), which(at.size()), coef(at.size()) {
    for (Index r = 0; r < rows; ++r) at[static_cast<std::size_t>(r)] = tile.data() + r * stride;
  }
  base::Buffer<T> tile;
  std::vector<T*> at;
  std::vector<std::int32_t> which;
  std::vector<double> coef;
};

// One piece, box by box.
template <class T>
void multiply_near(const PreparedRows<T>& rows, Index box, const double* coef, Index begin, Index end, Scratch<T>& mine,
                   double* out) {
  for (Index from = begin; from < end; from += box) {
    const Index to = std::min(end, from + box), count = rows.near(from, mine.which.data());
    if (count == 0) continue;
    rows.compute_some(from, to, mine.which.data(), count, mine.at.data());
    for (std::size_t t = 0; t < static_cast<std::size_t>(count); ++t) mine.coef[t] = coef[mine.which[t]];
    simd::ops<T>().accumulate(mine.coef.data(), mine.at.data(), count, 0, to - from, out + from);
  }
}

}  // namespace

template <class T>
void Columns<T>::multiply(const Index* rows, const double* coef, Index m, double* out, ThreadPool& pool) const {
  const auto& op = simd::ops<T>();
  const Index group = box() > 0 ? kBoxRowsAtOnce : kRowsAtOnce, stride = box() > 0 ? box() : grain();
  std::vector<std::unique_ptr<Scratch<T>>> scratch(static_cast<std::size_t>(pool.size()));
  for (Index first = 0; first < m; first += group * kGroups) {
    std::vector<std::unique_ptr<PreparedRows<T>>> prepared;
    for (Index from = first; from < std::min(m, first + group * kGroups); from += group) {
      prepared.push_back(prepare(rows + from, std::min(group, m - from)));
    }
    pool.for_range(size(), grain(), [&](Index begin, Index end, int worker) {
      auto& mine = scratch[static_cast<std::size_t>(worker)];
      if (!mine) mine = std::make_unique<Scratch<T>>(group, stride);
      for (std::size_t g = 0; g < prepared.size(); ++g) {
        const Index from = first + static_cast<Index>(g) * group;
        if (box() > 0) {
          multiply_near(*prepared[g], box(), coef + from, begin, end, *mine, out);
          continue;
        }
        prepared[g]->compute(begin, end, mine->at.data());
        op.accumulate(coef + from, mine->at.data(), std::min(group, m - from), 0, end - begin, out + begin);
      }
    });
  }
}

template class PreparedRows<float>;
template class PreparedRows<double>;
template class Columns<float>;
template class Columns<double>;

}  // namespace dcsvm::rows
