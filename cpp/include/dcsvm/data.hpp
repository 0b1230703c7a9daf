// Non-owning views of the caller's data. Nothing here copies; the memory must outlive the call it is passed to.
#pragma once

#if __cplusplus < 201703L
#error "dcsvm needs C++17: compile with -std=c++17, or link the CMake target dcsvm::dcsvm, which asks for it"
#endif

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace dcsvm {

/// All sizes and indices are 64-bit.
using Index = std::ptrdiff_t;

/// Files keep the numbers.
enum class ScalarType { float32 = 0, float64 = 1 };
enum class IndexType { int32, int64 };

/// A dense matrix: element (i, j) lies at data + (i * row_stride + j * col_stride) elements.
/// C order: row_stride = cols, col_stride = 1. Fortran order: row_stride = 1, col_stride = rows. Any stride works, also
/// a negative one; but row_stride must be set (0 is a DataError where there are two rows), which dense() does.
struct DenseView {
  const void* data = nullptr;
  ScalarType scalar = ScalarType::float64;
  Index rows = 0;
  Index cols = 0;
  Index row_stride = 0;
  Index col_stride = 1;
};

/// A compressed sparse row matrix: row i holds values[indptr[i] .. indptr[i+1]) at columns indices[...], zero-based.
/// Columns must be strictly ascending within a row (train and predict check, DataError).
struct CsrView {
  const void* values = nullptr;
  ScalarType scalar = ScalarType::float64;
  const void* indices = nullptr;
  const void* indptr = nullptr;
  IndexType index_type = IndexType::int32;
  IndexType indptr_type = IndexType::int32;
  Index rows = 0;
  Index cols = 0;
};

/// The matrix of samples (rows) by features (columns).
using DataView = std::variant<DenseView, CsrView>;

inline Index rows_of(const DataView& x) {
  return std::visit([](const auto& v) { return v.rows; }, x);
}
inline Index cols_of(const DataView& x) {
  return std::visit([](const auto& v) { return v.cols; }, x);
}

/// C-order dense views of the caller's arrays.
inline DenseView dense(const float* data, Index rows, Index cols) { return {data, ScalarType::float32, rows, cols, cols, 1}; }
inline DenseView dense(const double* data, Index rows, Index cols) { return {data, ScalarType::float64, rows, cols, cols, 1}; }

/// The caller's array of indices, of either width, as csr takes it.
struct IndexArray {
  IndexArray(const std::int32_t* values) : data(values), type(IndexType::int32) {}
  IndexArray(const std::int64_t* values) : data(values), type(IndexType::int64) {}
  const void* data;
  IndexType type;
};
/// A view of the caller's CSR arrays: indptr has rows + 1 entries, values and indices have indptr[rows].
inline CsrView csr(const float* values, IndexArray indices, IndexArray indptr, Index rows, Index cols) {
  return {values, ScalarType::float32, indices.data, indptr.data, indices.type, indptr.type, rows, cols};
}
inline CsrView csr(const double* values, IndexArray indices, IndexArray indptr, Index rows, Index cols) {
  return {values, ScalarType::float64, indices.data, indptr.data, indices.type, indptr.type, rows, cols};
}

/// A labelled data set that owns its memory (what load_svmlight returns): CSR with float64 values.
struct Dataset {
  std::vector<double> y;
  std::vector<double> values;
  std::vector<std::int64_t> indptr{0};
  std::vector<std::int32_t> indices;
  Index cols = 0;

  Index rows() const { return static_cast<Index>(y.size()); }
  CsrView view() const { return csr(values.data(), indices.data(), indptr.data(), rows(), cols); }
};

}  // namespace dcsvm
