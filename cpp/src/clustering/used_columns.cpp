#include "clustering/used_columns.hpp"

#include <algorithm>

#include "data/read.hpp"
#include "kernels/sparse_groups.hpp"

namespace dcsvm::clustering {

bool is_wide(const DataView& x) {
  return std::holds_alternative<CsrView>(x) && cols_of(x) > kernels::SparseGroups<float>::kWidest;
}

UsedColumns::UsedColumns(const DataView& x) {
  CsrView csr = std::get<CsrView>(x);
  const Index n = data::stored_values(x);
  indices_.reserve(static_cast<std::size_t>(n));
  for (Index t = 0; t < n; ++t) indices_.push_back(static_cast<std::int32_t>(data::column_at(csr, t)));
  columns_ = indices_;
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  const kernels::ColumnNumbers numbers(columns_.data(), static_cast<Index>(columns_.size()));
  for (std::int32_t& column : indices_) column = numbers.find(column);
  csr.indices = indices_.data();
  csr.index_type = IndexType::int32;
  csr.cols = std::max<Index>(1, numbers.size());
  view_ = csr;
}

}  // namespace dcsvm::clustering
