#include <algorithm>
#include <array>
#include <vector>

#include "base/buffer.hpp"
#include "rows/row_source.hpp"
#include "simd/ops.hpp"

namespace dcsvm::rows {

namespace {
constexpr Index kRowsAtOnce = 64;     // rows of a product whose tile (rows x grain) stays in L2
constexpr Index kRowsOfPass = 1024;   // over the columns; a multiple of any passing()

// out[j] += sum_r coef[r] rows[r][j] over the rows whose coefficient is not 0.
template <class T>
void accumulate_some(const double* coef, T* const* rows, Index m, Index n, double* out) {
  std::array<const T*, kRowsAtOnce> some{};
  std::array<double, kRowsAtOnce> own{};
  std::size_t count = 0;
  for (Index r = 0; r < m; ++r) {
    if (coef[r] == 0.0) continue;
    own[count] = coef[r];
    some[count++] = rows[r];
  }
  simd::ops<T>().accumulate(own.data(), some.data(), static_cast<Index>(count), 0, n, out);
}
}  // namespace

template <class T>
void PreparedRows<T>::add(Index begin, Index end, const double* coef, Index m, T* scratch, double* out) const {
  std::vector<T*> at(static_cast<std::size_t>(m));
  for (Index r = 0; r < m; ++r) at[static_cast<std::size_t>(r)] = scratch + r * (end - begin);
  compute(begin, end, at.data());
  simd::ops<T>().accumulate(coef, at.data(), m, 0, end - begin, out);
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

// use(up to `group` rows, their first one's place, how many, begin, end, scratch of group x grain values) for all rows and
// columns.
template <class T, class Use>
void each_tile(const Columns<T>& columns, const Index* rows, Index m, Index group, ThreadPool& pool, Use&& use) {
  std::vector<base::Buffer<T>> scratch(static_cast<std::size_t>(pool.size()));
  for (Index first = 0; first < m; first += kRowsOfPass) {
    std::vector<std::unique_ptr<PreparedRows<T>>> prepared;
    for (Index from = first; from < std::min(m, first + kRowsOfPass); from += group) {
      prepared.push_back(columns.prepare(rows + from, std::min(group, m - from)));
    }
    pool.for_range(columns.size(), columns.grain(), [&](Index begin, Index end, int worker) {
      auto& mine = scratch[static_cast<std::size_t>(worker)];
      if (mine.size() == 0) mine = base::Buffer<T>(group * columns.grain());
      for (std::size_t g = 0; g < prepared.size(); ++g) {
        const Index from = first + static_cast<Index>(g) * group;
        use(*prepared[g], from, std::min(group, m - from), begin, end, mine.data());
      }
    });
  }
}

}  // namespace

template <class T>
void Columns<T>::multiply(const Index* rows, const double* coef, Index m, double* out, ThreadPool& pool) const {
  each_tile(*this, rows, m, passing(), pool,
            [&](const PreparedRows<T>& some, Index from, Index count, Index begin, Index end, T* scratch) {
              some.add(begin, end, coef + from, count, scratch, out + begin);
            });
}

template <class T>
void Columns<T>::multiply_many(const Index* rows, Index m, const std::vector<const double*>& coef,
                               const std::vector<double*>& out, ThreadPool& pool) const {
  each_tile(*this, rows, m, kRowsAtOnce, pool,
            [&](const PreparedRows<T>& some, Index from, Index count, Index begin, Index end, T* scratch) {
              std::array<T*, kRowsAtOnce> tile{};
              for (Index r = 0; r < kRowsAtOnce; ++r) tile[static_cast<std::size_t>(r)] = scratch + r * (end - begin);
              some.compute(begin, end, tile.data());
              for (std::size_t c = 0; c < coef.size(); ++c)
                accumulate_some(coef[c] + from, tile.data(), count, end - begin, out[c] + begin);
            });
}

template class PreparedRows<float>;
template class PreparedRows<double>;
template class Columns<float>;
template class Columns<double>;

}  // namespace dcsvm::rows
