// Non-owning views of the caller's data. Nothing here copies; the memory must outlive the call it is passed to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace dcsvm {

/// All sizes and indices are 64-bit.
using Index = std::ptrdiff_t;

enum class ScalarType { float32, float64 };
enum class IndexType { int32, int64 };

/// A dense matrix: element (i, j) lies at data + (i * row_stride + j * col_stride) elements.
/// C order: row_stride = cols, col_stride = 1. Fortran order: row_stride = 1, col_stride = rows. Any stride works.
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

/// A labelled data set that owns its memory (what load_svmlight returns): CSR with float64 values.
struct Dataset {
  std::vector<double> y;
  std::vector<double> values;
  std::vector<std::int64_t> indptr{0};
  std::vector<std::int32_t> indices;
  Index cols = 0;

  Index rows() const { return static_cast<Index>(y.size()); }
  CsrView view() const {
    return {values.data(), ScalarType::float64, indices.data(), indptr.data(), IndexType::int32, IndexType::int64, rows(), cols};
  }
};

}  // namespace dcsvm
