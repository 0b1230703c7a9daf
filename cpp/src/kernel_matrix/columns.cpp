#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "kernel_matrix/row_source.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernel_matrix {

namespace {
constexpr Index kRowsOfPass = 1024;  // rows prepared for one pass over the columns; a multiple of any rows_at_once()
}  // namespace

template <class T>
void PreparedRows<T>::add(Index begin, Index end, const double* coef, Index m, T* scratch, double* out) const {
  std::vector<T*> at(static_cast<std::size_t>(m));
  for (Index r = 0; r < m; ++r) at[r] = scratch + r * (end - begin);
  compute(begin, end, at.data());
  simd::ops<T>().accumulate(coef, at.data(), m, 0, end - begin, out);
}
template <class T>
Index PreparedRows<T>::near(Index, std::int32_t*) const {
  return 0;  // not called: region_size() is 0
}
template <class T>
void PreparedRows<T>::compute_some(Index, Index, const std::int32_t*, Index, T* const*) const {}

template <class T>
void Columns<T>::expect(const Index*, Index, ThreadPool&) const {}

template <class T>
void Columns<T>::block(const Index* rows, Index m, T* out, Index ld, ThreadPool& pool) const {
  std::vector<T*> at(static_cast<std::size_t>(m));
  for (Index r = 0; r < m; ++r) at[r] = out + r * ld;
  block(rows, m, at.data(), pool);
}

template <class T>
void Columns<T>::block(const Index* rows, Index m, T* const* out, ThreadPool& pool) const {
  if (m == 0) return;
  const auto prepared = prepare(rows, m, pool);
  pool.for_range(size(), grain(), [&](Index begin, Index end, int) {
    std::vector<T*> at(static_cast<std::size_t>(m));
    for (Index r = 0; r < m; ++r) at[r] = out[r] + begin;
    prepared->compute(begin, end, at.data());
  });
}

template <class T>
void Columns<T>::multiply(const Index* rows, const double* coef, Index m, double* out, ThreadPool& pool) const {
  const Index group = rows_at_once();
  std::vector<base::Buffer<T>> scratch(static_cast<std::size_t>(pool.size()));
  for (Index first = 0; first < m; first += kRowsOfPass) {
    std::vector<std::unique_ptr<PreparedRows<T>>> prepared;
    prepared.reserve(kRowsOfPass / group + 1);
    for (Index from = first; from < std::min(m, first + kRowsOfPass); from += group)
      prepared.push_back(prepare(rows + from, std::min(group, m - from), pool));
    pool.for_range(size(), grain(), [&](Index begin, Index end, int worker) {
      auto& own = scratch[worker];
      if (own.size() == 0) own = base::Buffer<T>(group * grain());
      Index from = first;
      for (const auto& some : prepared) {
        some->add(begin, end, coef + from, std::min(group, m - from), own.data(), out + begin);
        from += group;
      }
    });
  }
}

template <class T>
void RowSource<T>::multiply(const Index* idx, Index n, const Index* rows, const double* coef, Index m, double* out,
                            std::size_t budget, ThreadPool& pool) const {
  if (const LinearRows linear = linear_rows()) {
    linear.products(linear.weights(rows, coef, m).data(), idx, n, out, pool);
  } else {
    columns(idx, n, budget, pool)->multiply(rows, coef, m, out, pool);
  }
}

template class PreparedRows<float>;
template class PreparedRows<double>;
template class Columns<float>;
template class Columns<double>;
template class RowSource<float>;
template class RowSource<double>;

}  // namespace dcsvm::kernel_matrix
