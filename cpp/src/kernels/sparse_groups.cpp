#include "kernels/sparse_groups.hpp"

#include <algorithm>
#include <cmath>

#include "simd/ops.hpp"

namespace dcsvm::kernels {

namespace {

// What one feature adds to a distance (simd/map_impl.hpp, add_difference).
template <class T>
T of_difference(kernels::Term term, T x, T y) {
  const T difference = x - y, sum = x + y;
  switch (term) {
    case kernels::Term::product: return difference * difference;
    case kernels::Term::smaller: return std::abs(difference);
    case kernels::Term::harmonic: return sum == T(0) ? T(0) : difference * (difference / sum);
  }
  return difference;
}

}  // namespace

ColumnNumbers::ColumnNumbers(const std::int32_t* columns, Index n) {
  std::size_t slots = 2;
  while (slots < 2 * static_cast<std::size_t>(n)) slots *= 2;
  slots_.resize(slots);
  mask_ = slots - 1;
  for (Index t = 0; t < n; ++t) {
    std::size_t at = slot(columns[t]);
    while (slots_[at].number >= 0 && slots_[at].column != columns[t]) at = (at + 1) & mask_;
    if (slots_[at].number < 0) slots_[at] = {columns[t], static_cast<std::int32_t>(size_++)};
  }
}

template <class T>
SparseGroups<T>::SparseGroups(const CsrView& x, const Index* idx, Index first, Index m, kernels::Term term)
    : term_(term), rows_(data::copy_sparse_rows<T>(x, idx, first, m)), norms_(m) {
  const auto& op = simd::ops<T>();
  const Index width = op.sparse_w, groups = (m + width - 1) / width;
  begin_.reserve(static_cast<std::size_t>(groups) + 1);
  begin_.push_back(0);
  if (x.cols > kWidest) numbers_.reserve(static_cast<std::size_t>(groups));
  for (Index g = 0; g < groups; ++g) {
    const Index from = rows_.indptr[g * width], to = rows_.indptr[std::min(m, (g + 1) * width)];
    if (x.cols > kWidest) numbers_.emplace_back(rows_.indices.data() + from, to - from);
    begin_.push_back(begin_.back() + (numbered() ? numbers_.back().size() : x.cols));
  }
  expanded_ = base::Buffer<T>(static_cast<Index>(base::array_size(begin_.back(), width)), T(0));
  for (Index r = 0; r < m; ++r) {
    const Index g = r / width, from = rows_.indptr[r], to = rows_.indptr[r + 1];
    T* group = expanded_.data() + begin_[g] * width + r % width;
    for (Index t = from; t < to; ++t) {
      const std::int32_t column = rows_.indices[t];
      group[static_cast<Index>(numbered() ? numbers_[g].find(column) : column) * width] = rows_.values[t];
    }
    op.norms(term, rows_.values.data() + from, to - from, 1, &norms_[r]);
  }
}

template <class T>
void SparseGroups<T>::products(Index g, const data::SparseRows<T>& points, Index begin, Index end, T* out) const {
  const auto& op = simd::ops<T>();
  const Index width = op.sparse_w;
  const T* group = expanded_.data() + begin_[g] * width;
  std::vector<T> values;
  std::vector<std::int32_t> numbers;
  for (Index j = begin; j < end; ++j, out += width) {
    const Index from = points.indptr[j], n = points.indptr[j + 1] - from;
    const T* value = points.values.data() + from;
    const std::int32_t* column = points.indices.data() + from;
    if (!numbered()) {
      op.sparse_sum(term_, value, column, n, group, out);
      continue;
    }
    // A column that the group lacks would add zeros: without it the sums are the same to the bit.
    values.resize(std::max(values.size(), static_cast<std::size_t>(n)));
    numbers.resize(values.size());
    Index found = 0;
    for (Index t = 0; t < n; ++t) {
      const std::int32_t number = numbers_[g].find(column[t]);
      values[found] = value[t];
      numbers[found] = number;
      found += number >= 0 ? 1 : 0;
    }
    op.sparse_sum(term_, values.data(), numbers.data(), found, group, out);
  }
}

template <class T>
T SparseGroups<T>::distance(Index r, const data::SparseRows<T>& points, Index j) const {
  Index s = rows_.indptr[r], t = points.indptr[j];
  const Index s_end = rows_.indptr[r + 1], t_end = points.indptr[j + 1];
  T sum = 0;
  while (s < s_end || t < t_end) {
    const bool here = s < s_end && (t == t_end || rows_.indices[s] <= points.indices[t]);
    const bool there = t < t_end && (s == s_end || points.indices[t] <= rows_.indices[s]);
    sum += of_difference(term_, here ? rows_.values[s] : T(0), there ? points.values[t] : T(0));
    s += here ? 1 : 0;
    t += there ? 1 : 0;
  }
  return sum;
}

template class SparseGroups<float>;
template class SparseGroups<double>;

}  // namespace dcsvm::kernels
