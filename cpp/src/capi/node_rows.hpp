// Rows of svm_nodes as the library's data. Dense when that takes little more memory: dense rows are computed faster.
#pragma once

#include <cstdint>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/libsvm/svm_extra.h"

namespace dcsvm::capi {

/// What a first pass over the rows finds.
struct Extent {
  Index entries = 0;
  int largest = 0;          ///< index
  bool zero_based = false;  ///< an index is 0, so indices count columns from 0

  void add(const Extent& other);
  /// Columns, when index - base() is the column. At least 1.
  Index columns() const;
  int base() const { return zero_based ? 0 : 1; }
};

/// Throws DataError (row, from 0) for a null row and for indices that are negative or do not ascend.
Extent measure(const svm_node* const* x, Index rows);

/// Entries of a row, without its end.
Index row_length(const svm_node* row);

struct Rows {
  bool sparse = false;
  Index rows = 0, cols = 0;
  std::vector<double> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> indptr;

  DataView view() const;
};

/// Copies rows; index - extent.base() is the column. `extent` covers them (and may cover more).
Rows copy_rows(const svm_node* const* x, Index rows, const Extent& extent);

/// Throws DataError for a matrix that cannot be read: null arrays, sizes below 0, indptr or indices out of order or range.
void check_matrix(const dcsvm_matrix* x);

/// Rows [begin, begin + rows) of a checked matrix, whose column j has index j + 1, which `extent` covers.
Rows copy_matrix(const dcsvm_matrix& x, Index begin, Index rows, const Extent& extent);

/// The serial number (from 1) that a row of a precomputed kernel begins with. Throws DataError.
int serial_number(const svm_node* row, Index i);

/// Precomputed kernel: values K(row i, serial s) for s of `serials`, rows x serials dense. LIBSVM finds K(x, s) at position s of
/// the row; when the node there has another index (zeros left out), by index. Throws DataError for a row that does not reach a
/// serial.
Rows copy_kernel(const svm_node* const* x, Index rows, const std::vector<int>& serials);

}  // namespace dcsvm::capi
