// Copies rows out of the caller's views, whatever their layout, index width and precision.
#pragma once

#include <cstdint>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::data {

/// Sparse rows in one precision with 32-bit columns: row r is [indptr[r], indptr[r + 1]).
template <class T>
struct SparseRows {
  std::vector<T> values;
  std::vector<std::int32_t> indices;
  std::vector<Index> indptr{0};
};

/// out[r * ld + k] = x(row idx[r], k) - shift[k] for r in [0, m); idx null: rows first, first + 1, ...; shift null: none.
/// Sparse views are expanded. The gaps between cols and ld are not touched.
template <class T>
void copy_rows(const DataView& x, const Index* idx, Index first, Index m, T* out, Index ld, const double* shift = nullptr);

/// The same rows kept sparse; x must be a CsrView.
template <class T>
SparseRows<T> copy_sparse_rows(const CsrView& x, const Index* idx, Index first, Index m);

/// Sum over rows [begin, end) of each column into sums (size cols, added to); and of squares into squares when not null.
void column_sums(const DataView& x, Index begin, Index end, double* sums, double* squares);

/// sum + the stored entries of rows [begin, end), added in order.
double add_entries(const DataView& x, Index begin, Index end, double sum);

/// A number above 0 that rows share whose values are the same in T; others share it by a chance of 2^-64.
template <class T>
std::uint64_t key_of_row(const DataView& x, Index i);

/// Stored entries: rows * cols for dense views.
Index stored_values(const DataView& x);

/// indptr[i] of a CSR view.
Index row_begin(const CsrView& x, Index i);
/// Column of stored entry t.
Index column_at(const CsrView& x, Index t);
/// Value of stored entry t.
double value_at(const CsrView& x, Index t);

}  // namespace dcsvm::data
