// Wide sparse data for k-means, whose centres are dense.
#pragma once

#include <cstdint>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::clustering {

/// Whether the centres of x should be formed over the columns that occur: sparse data of more than 20,000 columns.
bool is_wide(const DataView& x);

/// The same rows over the columns that occur, in their order: what is kept for each column then costs no more than the non-zeros.
/// Refers to x, which must live as long. x: a CsrView.
class UsedColumns {
 public:
  explicit UsedColumns(const DataView& x);
  const DataView& view() const { return view_; }
  /// The columns of x, ascending.
  const std::vector<std::int32_t>& columns() const { return columns_; }

 private:
  std::vector<std::int32_t> columns_, indices_;
  DataView view_;
};

}  // namespace dcsvm::clustering
