#include "node_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "dcsvm/errors.hpp"

namespace dcsvm::capi {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

[[noreturn]] void fail(Index row, const std::string& what) { throw DataError("row " + std::to_string(row) + ": " + what); }

}  // namespace

void Extent::add(const Extent& other) {
  entries += other.entries;
  largest = std::max(largest, other.largest);
  zero_based = zero_based || other.zero_based;
}

Index Extent::columns() const { return std::max<Index>(1, static_cast<Index>(largest) + 1 - base()); }

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

Rows copy_rows(const svm_node* const* x, Index rows, const Extent& extent) {
  Rows out;
  out.rows = rows;
  out.cols = extent.columns();
  const int base = extent.base();
  constexpr double kDenseFrom = 0.1;
  out.sparse = static_cast<double>(extent.entries) < kDenseFrom * static_cast<double>(rows) * static_cast<double>(out.cols);
  if (!out.sparse) {
    out.values.assign(at(rows) * at(out.cols), 0.0);
    for (Index i = 0; i < rows; ++i) {
      double* row = out.values.data() + i * out.cols - base;
      for (const svm_node* node = x[i]; node->index != -1; ++node) row[node->index] = node->value;
    }
    return out;
  }
  out.values.reserve(at(extent.entries));
  out.indices.reserve(at(extent.entries));
  out.indptr.reserve(at(rows) + 1);
  out.indptr.push_back(0);
  for (Index i = 0; i < rows; ++i) {
    for (const svm_node* node = x[i]; node->index != -1; ++node) {
      out.values.push_back(node->value);
      out.indices.push_back(node->index - base);
    }
    out.indptr.push_back(static_cast<std::int64_t>(out.values.size()));
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
  out.values.assign(at(rows) * at(out.cols), 0.0);
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

}  // namespace dcsvm::capi
