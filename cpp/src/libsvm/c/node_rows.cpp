#include "node_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "c_common/matrix.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::libsvm {

namespace {

/// Dense rows are computed faster, unless they take much more memory.
bool is_sparse(Index entries, Index rows, Index cols) {
  constexpr double kDenseFrom = 0.1;
  return static_cast<double>(entries) < kDenseFrom * static_cast<double>(rows) * static_cast<double>(cols);
}

using c_common::fail;

}  // namespace

void Extent::add(const Extent& other) {
  entries += other.entries;
  largest = std::max(largest, other.largest);
  zero_based = zero_based || other.zero_based;
}

Index Extent::columns() const {
  return std::max<Index>(1, used.empty() ? static_cast<Index>(largest) + 1 - base() : static_cast<Index>(used.size()));
}

Index Extent::column(int index) const {
  return used.empty() ? index - base() : std::lower_bound(used.begin(), used.end(), index) - used.begin();
}

bool Extent::is_wide() const {
  constexpr Index kColumns = 1 << 16, kPerEntry = 4;
  return used.empty() && columns() > std::max(kColumns, kPerEntry * entries);
}

void Extent::narrow(std::vector<int> indices) {
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  used = std::move(indices);
}

void add_indices(const svm_node* const* x, Index rows, std::vector<int>& out) {
  for (Index i = 0; i < rows; ++i) {
    for (const svm_node* node = x[i]; node->index != -1; ++node) out.push_back(node->index);
  }
}

Extent measure(const svm_node* const* x, Index rows) {
  Extent extent;
  for (Index i = 0; i < rows; ++i) {
    if (x[i] == nullptr) fail(i, "a null pointer");
    const svm_node* node = x[i];
    for (int previous = -1; node->index != -1; previous = node++->index) {
      if (node->index < 0) fail(i, "index " + std::to_string(node->index) + " is negative");
      if (node->index <= previous) {
        fail(i, "index " + std::to_string(node->index) + " after " + std::to_string(previous) + ": indices must ascend");
      }
    }
    if (node == x[i]) continue;
    extent.entries += node - x[i];
    extent.largest = std::max(extent.largest, node[-1].index);
    extent.zero_based = extent.zero_based || x[i]->index == 0;
  }
  return extent;
}

Index row_length(const svm_node* row) {
  const svm_node* node = row;
  while (node->index != -1) ++node;
  return node - row;
}

DataView Rows::view() const {
  if (!sparse) return dense(values.data(), rows, cols);
  return CsrView{values.data(),    ScalarType::float64, indices.data(), indptr.data(),
                 IndexType::int32, IndexType::int64,    rows,           cols};
}

Rows pick_rows(const DataView& x, const std::vector<Index>& chosen) {
  Rows out;
  out.rows = static_cast<Index>(chosen.size());
  out.cols = cols_of(x);
  const auto* csr = std::get_if<CsrView>(&x);
  out.sparse = csr != nullptr;
  if (out.sparse) out.indptr.push_back(0);
  for (const Index i : chosen) {
    if (csr == nullptr) {
      const double* row = static_cast<const double*>(std::get<DenseView>(x).data) + i * out.cols;
      out.values.insert(out.values.end(), row, row + out.cols);
      continue;
    }
    const auto* indptr = static_cast<const std::int64_t*>(csr->indptr) + i;
    const auto* values = static_cast<const double*>(csr->values);
    const auto* indices = static_cast<const std::int32_t*>(csr->indices);
    out.values.insert(out.values.end(), values + indptr[0], values + indptr[1]);
    out.indices.insert(out.indices.end(), indices + indptr[0], indices + indptr[1]);
    out.indptr.push_back(static_cast<std::int64_t>(out.values.size()));
  }
  return out;
}

Rows copy_rows(const svm_node* const* x, Index rows, const Extent& extent) {
  Rows out;
  out.rows = rows;
  out.cols = extent.columns();
  out.sparse = is_sparse(extent.entries, rows, out.cols);
  if (!out.sparse) {
    out.values.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(out.cols), 0.0);
    for (Index i = 0; i < rows; ++i) {
      double* row = out.values.data() + i * out.cols;
      for (const svm_node* node = x[i]; node->index != -1; ++node) row[extent.column(node->index)] = node->value;
    }
    return out;
  }
  out.values.reserve(extent.entries);
  out.indices.reserve(extent.entries);
  out.indptr.reserve(static_cast<std::size_t>(rows) + 1);
  out.indptr.push_back(0);
  for (Index i = 0; i < rows; ++i) {
    for (const svm_node* node = x[i]; node->index != -1; ++node) {
      out.values.push_back(node->value);
      out.indices.push_back(static_cast<std::int32_t>(extent.column(node->index)));
    }
    out.indptr.push_back(static_cast<std::int64_t>(out.values.size()));
  }
  return out;
}

Rows copy_matrix(const dcsvm_matrix& x, Index begin, Index rows, const Extent& extent) {
  Rows out;
  out.rows = rows;
  out.cols = extent.columns();
  if (x.indptr == nullptr) {
    out.values.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(out.cols), 0.0);
    for (Index i = 0; i < rows; ++i)
      std::copy_n(x.values + (begin + i) * x.cols, x.cols, out.values.data() + i * out.cols + 1 - extent.base());
    return out;
  }
  const auto first = x.indptr[begin], last = x.indptr[begin + rows];
  out.sparse = is_sparse(static_cast<Index>(last - first), rows, out.cols);
  if (out.sparse) {
    out.values.assign(x.values + first, x.values + last);
    for (auto e = first; e < last; ++e) out.indices.push_back(static_cast<std::int32_t>(extent.column(x.indices[e] + 1)));
    for (Index i = 0; i <= rows; ++i) out.indptr.push_back(x.indptr[begin + i] - first);
    return out;
  }
  out.values.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(out.cols), 0.0);
  for (Index i = 0; i < rows; ++i) {
    double* row = out.values.data() + i * out.cols;
    for (auto e = x.indptr[begin + i]; e < x.indptr[begin + i + 1]; ++e) row[extent.column(x.indices[e] + 1)] = x.values[e];
  }
  return out;
}

int serial_number(const svm_node* row, Index i) {
  if (row == nullptr) fail(i, "a null pointer");
  if (row->index != 0) fail(i, "the row of a precomputed kernel must begin with 0:serial_number");
  const double v = row->value;
  if (!(v >= 1) || v > std::numeric_limits<int>::max()) fail(i, "serial number " + std::to_string(v) + " is out of range");
  return static_cast<int>(v);
}

Rows copy_kernel(const svm_node* const* x, Index rows, const std::vector<int>& serials) {
  Rows out;
  out.rows = rows;
  out.cols = std::max<Index>(1, static_cast<Index>(serials.size()));
  out.values.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(out.cols), 0.0);
  for (Index i = 0; i < rows; ++i) {
    if (x[i] == nullptr) fail(i, "a null pointer");
    const svm_node *first = x[i], *last = first + row_length(first);
    double* values = out.values.data() + i * out.cols;
    for (const int s : serials) {
      const svm_node* node = last - first > s ? first + s : last;
      if (node == last || node->index != s) {
        if (first == last || last[-1].index < s) fail(i, "no kernel value for serial number " + std::to_string(s));
        node = std::lower_bound(first, last, s, [](const svm_node& n, int index) { return n.index < index; });
        *values++ = node != last && node->index == s ? node->value : 0.0;
      } else {
        *values++ = node->value;
      }
    }
  }
  return out;
}

}  // namespace dcsvm::libsvm
