// Pieces of columns that do not start where a panel does.
#pragma once

#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::kernel_matrix {

/// PreparedRows::compute for columns [begin, end), begin anywhere (Columns::region_size() == 0): the piece before the first
/// whole panel is computed separately.
template <class T>
void compute_anywhere(const PreparedRows<T>& rows, Index m, Index begin, Index end, T* const* out) {
  const Index nr = panel_width(), from = begin / nr * nr;
  if (from == begin) return rows.compute(begin, end, out);
  const Index to = std::min(end, from + nr), head = to - begin;
  base::Buffer<T> panel(m * nr);
  std::vector<T*> at(static_cast<std::size_t>(m));
  for (Index r = 0; r < m; ++r) at[r] = panel.data() + r * nr;
  rows.compute(from, to, at.data());
  for (Index r = 0; r < m; ++r) {
    const T* values = at[r] + (begin - from);
    std::copy(values, values + head, out[r]);
    at[r] = out[r] + head;
  }
  if (to < end) rows.compute(to, end, at.data());
}

}  // namespace dcsvm::kernel_matrix
