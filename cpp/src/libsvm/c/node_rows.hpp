// Rows of svm_nodes as the library's data: dense where that takes little more memory, because dense rows are computed faster.
#pragma once

#include <cstdint>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/libsvm/svm_extra.h"

namespace dcsvm::libsvm {

/// Indices and sizes of rows of svm_nodes, found in one pass, and which column each index gets.
struct Extent {
  Index entries = 0;
  int largest = 0;          ///< the largest index
  bool zero_based = false;  ///< an index is 0, so indices count columns from 0

  std::vector<int> used;    ///< not empty: the indices that have a column, ascending (see narrow())

  void add(const Extent& other);
  /// At least 1.
  Index columns() const;
  /// The column of an index that occurs: index - base(), or its place in `used`.
  Index column(int index) const;
  int base() const { return zero_based ? 0 : 1; }
  /// Whether there would be many columns, most of them empty, as with hashed features.
  bool is_wide() const;
  /// Gives columns to these indices only. Empty columns do not change any kernel value.
  void narrow(std::vector<int> indices);
};

/// Appends the indices of all entries.
void add_indices(const svm_node* const* x, Index rows, std::vector<int>& out);

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

/// Rows chosen[0], chosen[1], ... of data as Rows::view has it.
Rows pick_rows(const DataView& x, const std::vector<Index>& chosen);

/// Copies rows into the columns of `extent`, which has all their indices and may have more.
Rows copy_rows(const svm_node* const* x, Index rows, const Extent& extent);

/// Rows [begin, begin + rows) of a checked matrix. Its column j has index j + 1, which `extent` must have.
Rows copy_matrix(const dcsvm_matrix& x, Index begin, Index rows, const Extent& extent);

/// The serial number (from 1) that a row of a precomputed kernel begins with. Throws DataError.
int serial_number(const svm_node* row, Index i);

/// Precomputed kernel: values K(row i, serial s) for s of `serials`, rows x serials dense. LIBSVM finds K(x, s) at position s of
/// the row; when the node there has another index (zeros left out), by index. Throws DataError for a row that does not reach a
/// serial.
Rows copy_kernel(const svm_node* const* x, Index rows, const std::vector<int>& serials);

}  // namespace dcsvm::libsvm
