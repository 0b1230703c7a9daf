#include <cstdint>
#include <type_traits>
#include <utility>

#include "data/point_store.hpp"

namespace dcsvm::data {

namespace {

template <class T>
std::vector<T>& values_of(PointStore& store) {
  if constexpr (std::is_same_v<T, float>) {
    return store.values32;
  } else {
    return store.values64;
  }
}

template <class T>
void copy_dense(const DenseView& x, const std::vector<Index>& idx, PointStore& store) {
  auto& values = values_of<T>(store);
  values.reserve(idx.size() * static_cast<std::size_t>(x.cols));
  for (const Index i : idx) {
    const T* row = static_cast<const T*>(x.data) + i * x.row_stride;
    if (x.col_stride == 1) {
      values.insert(values.end(), row, row + x.cols);
    } else {
      for (Index j = 0; j < x.cols; ++j) values.push_back(row[j * x.col_stride]);
    }
  }
}

template <class T, class I, class P>
void copy_csr(const CsrView& x, const std::vector<Index>& idx, PointStore& store) {
  const auto* from = static_cast<const T*>(x.values);
  const auto* columns = static_cast<const I*>(x.indices);
  const auto* indptr = static_cast<const P*>(x.indptr);
  auto& values = values_of<T>(store);
  std::size_t nnz = 0;
  for (const Index i : idx) nnz += static_cast<std::size_t>(indptr[i + 1] - indptr[i]);
  values.reserve(nnz);
  store.indices.reserve(nnz);
  for (const Index i : idx) {
    values.insert(values.end(), from + indptr[i], from + indptr[i + 1]);
    store.indices.insert(store.indices.end(), columns + indptr[i], columns + indptr[i + 1]);
    store.indptr.push_back(static_cast<std::int64_t>(values.size()));
  }
}

template <class T>
void copy_csr(const CsrView& x, const std::vector<Index>& idx, PointStore& store) {
  const bool small_index = x.index_type == IndexType::int32, small_indptr = x.indptr_type == IndexType::int32;
  if (small_index && small_indptr) return copy_csr<T, std::int32_t, std::int32_t>(x, idx, store);
  if (small_index) return copy_csr<T, std::int32_t, std::int64_t>(x, idx, store);
  if (small_indptr) return copy_csr<T, std::int64_t, std::int32_t>(x, idx, store);
  copy_csr<T, std::int64_t, std::int64_t>(x, idx, store);
}

}  // namespace

std::size_t PointStore::bytes() const {
  return sizeof(float) * values32.size() + sizeof(double) * values64.size() +
         sizeof(std::int64_t) * (indptr.size() + indices.size());
}

DataView PointStore::view() const {
  const bool single = scalar == ScalarType::float32;
  const void* values = single ? static_cast<const void*>(values32.data()) : static_cast<const void*>(values64.data());
  if (!sparse) return DenseView{values, scalar, rows, cols, cols, 1};
  return CsrView{values, scalar, indices.data(), indptr.data(), IndexType::int64, IndexType::int64, rows, cols};
}

PointStore copy_points(const DataView& x, const std::vector<Index>& idx) {
  PointStore store;
  store.cols = cols_of(x);
  if (const auto* csr = std::get_if<CsrView>(&x)) {
    store.scalar = csr->scalar;
    store.sparse = true;
    store.indptr.reserve(idx.size() + 1);
    store.indptr.push_back(0);
  } else {
    store.scalar = std::get<DenseView>(x).scalar;
  }
  append_points(x, idx, store);
  return store;
}

PointStore dense_points(std::vector<double> values, Index cols) {
  PointStore store;
  store.rows = static_cast<Index>(values.size()) / cols;
  store.cols = cols;
  store.values64 = std::move(values);
  return store;
}

void append_points(const DataView& x, const std::vector<Index>& idx, PointStore& store) {
  store.rows += static_cast<Index>(idx.size());
  if (const auto* dense = std::get_if<DenseView>(&x)) {
    dense->scalar == ScalarType::float32 ? copy_dense<float>(*dense, idx, store) : copy_dense<double>(*dense, idx, store);
  } else {
    const auto& csr = std::get<CsrView>(x);
    csr.scalar == ScalarType::float32 ? copy_csr<float>(csr, idx, store) : copy_csr<double>(csr, idx, store);
  }
}

}  // namespace dcsvm::data
