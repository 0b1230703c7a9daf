#include "data/read.hpp"

#include <algorithm>
#include <cstring>

namespace dcsvm::data {

namespace {

// Calls fn(pointer to the typed values, pointer to typed indices, pointer to typed indptr).
template <class Fn>
auto with_indptr(const CsrView& x, Fn&& fn) {
  if (x.indptr_type == IndexType::int32) return fn(static_cast<const std::int32_t*>(x.indptr));
  return fn(static_cast<const std::int64_t*>(x.indptr));
}
template <class Fn>
auto with_indices(const CsrView& x, Fn&& fn) {
  if (x.index_type == IndexType::int32) return fn(static_cast<const std::int32_t*>(x.indices));
  return fn(static_cast<const std::int64_t*>(x.indices));
}
template <class View, class Fn>
auto with_values(const View& x, const void* values, Fn&& fn) {
  if (x.scalar == ScalarType::float32) return fn(static_cast<const float*>(values));
  return fn(static_cast<const double*>(values));
}

Index row_of(const Index* idx, Index first, Index r) { return idx != nullptr ? idx[r] : first + r; }

// at(k): the row's value of column k.
template <class T, class At>
void copy_values(const At& at, Index cols, const double* shift, T* out) {
  if (shift == nullptr) {
    for (Index k = 0; k < cols; ++k) out[k] = static_cast<T>(at(k));
  } else {
    for (Index k = 0; k < cols; ++k) out[k] = static_cast<T>(static_cast<double>(at(k)) - shift[k]);
  }
}

template <class T, class S>
void copy_dense_row(const S* source, Index stride, Index cols, const double* shift, T* out) {
  // A loop of its own, for which the compiler has vectors.
  if (stride == 1) return copy_values([source](Index k) { return source[k]; }, cols, shift, out);
  copy_values([source, stride](Index k) { return source[k * stride]; }, cols, shift, out);
}

}  // namespace

Index row_begin(const CsrView& x, Index i) {
  return with_indptr(x, [&](const auto* p) { return static_cast<Index>(p[i]); });
}
Index column_at(const CsrView& x, Index t) {
  return with_indices(x, [&](const auto* p) { return static_cast<Index>(p[t]); });
}
double value_at(const CsrView& x, Index t) {
  return with_values(x, x.values, [&](const auto* p) { return static_cast<double>(p[t]); });
}

template <class T>
void copy_rows(const DataView& view, const Index* idx, Index first, Index m, T* out, Index ld, const double* shift) {
  if (const auto* x = std::get_if<DenseView>(&view)) {
    with_values(*x, x->data, [&](const auto* base) {
      for (Index r = 0; r < m; ++r) {
        copy_dense_row(base + row_of(idx, first, r) * x->row_stride, x->col_stride, x->cols, shift, out + r * ld);
      }
    });
    return;
  }
  const auto& x = std::get<CsrView>(view);
  for (Index r = 0; r < m; ++r) {
    T* row = out + r * ld;
    for (Index k = 0; k < x.cols; ++k) row[k] = shift != nullptr ? static_cast<T>(-shift[k]) : T(0);
    const Index i = row_of(idx, first, r);
    with_values(x, x.values, [&](const auto* values) {
      with_indices(x, [&](const auto* columns) {
        for (Index t = row_begin(x, i), end = row_begin(x, i + 1); t < end; ++t) {
          const auto k = static_cast<Index>(columns[t]);
          row[k] = static_cast<T>(static_cast<double>(values[t]) - (shift != nullptr ? shift[k] : 0.0));
        }
      });
    });
  }
}

template <class T>
SparseRows<T> copy_sparse_rows(const CsrView& x, const Index* idx, Index first, Index m) {
  SparseRows<T> out;
  Index total = 0;
  for (Index r = 0; r < m; ++r) {
    const Index i = row_of(idx, first, r);
    total += row_begin(x, i + 1) - row_begin(x, i);
  }
  out.values.reserve(total);
  out.indices.reserve(total);
  out.indptr.reserve(m + 1);
  with_values(x, x.values, [&](const auto* values) {
    with_indices(x, [&](const auto* columns) {
      for (Index r = 0; r < m; ++r) {
        const Index i = row_of(idx, first, r);
        for (Index t = row_begin(x, i), end = row_begin(x, i + 1); t < end; ++t) {
          out.values.push_back(static_cast<T>(values[t]));
          out.indices.push_back(static_cast<std::int32_t>(columns[t]));
        }
        out.indptr.push_back(static_cast<Index>(out.values.size()));
      }
    });
  });
  return out;
}

void column_sums(const DataView& view, Index begin, Index end, double* sums, double* squares) {
  const auto add = [&](Index k, double v) {
    sums[k] += v;
    if (squares != nullptr) squares[k] += v * v;
  };
  if (const auto* x = std::get_if<DenseView>(&view)) {
    with_values(*x, x->data, [&](const auto* base) {
      for (Index i = begin; i < end; ++i) {
        const auto* row = base + i * x->row_stride;
        for (Index k = 0; k < x->cols; ++k) add(k, static_cast<double>(row[k * x->col_stride]));
      }
    });
    return;
  }
  const auto& x = std::get<CsrView>(view);
  for (Index t = row_begin(x, begin), last = row_begin(x, end); t < last; ++t) add(column_at(x, t), value_at(x, t));
}

double add_entries(const DataView& view, Index begin, Index end, double sum) {
  if (const auto* x = std::get_if<DenseView>(&view)) {
    with_values(*x, x->data, [&](const auto* base) {
      for (Index i = begin; i < end; ++i) {
        for (Index k = 0; k < x->cols; ++k) sum += static_cast<double>(base[i * x->row_stride + k * x->col_stride]);
      }
    });
    return sum;
  }
  const auto& x = std::get<CsrView>(view);
  for (Index t = row_begin(x, begin), last = row_begin(x, end); t < last; ++t) sum += value_at(x, t);
  return sum;
}

Index stored_values(const DataView& view) {
  if (rows_of(view) == 0) return 0;
  if (const auto* x = std::get_if<CsrView>(&view)) return row_begin(*x, x->rows) - row_begin(*x, 0);
  return rows_of(view) * cols_of(view);
}

template void copy_rows<float>(const DataView&, const Index*, Index, Index, float*, Index, const double*);
template void copy_rows<double>(const DataView&, const Index*, Index, Index, double*, Index, const double*);
template SparseRows<float> copy_sparse_rows<float>(const CsrView&, const Index*, Index, Index);
template SparseRows<double> copy_sparse_rows<double>(const CsrView&, const Index*, Index, Index);

template <class T>
std::uint64_t key_of_row(const DataView& x, Index i) {
  std::uint64_t key = 0;
  const auto see = [&](Index column, double given) {  // in any order of the columns
    const double v = static_cast<double>(static_cast<T>(given));
    if (v == 0.0) return;
    std::uint64_t bits;
    std::memcpy(&bits, &v, sizeof(bits));
    bits = (bits ^ (static_cast<std::uint64_t>(column + 1) * 0x9E3779B97F4A7C15U)) * 0xFF51AFD7ED558CCDU;
    bits = (bits ^ (bits >> 32)) * 0xC4CEB9FE1A85EC53U;
    key += bits ^ (bits >> 29);
  };
  if (const auto* csr = std::get_if<CsrView>(&x)) {
    for (Index t = row_begin(*csr, i), end = row_begin(*csr, i + 1); t < end; ++t) see(column_at(*csr, t), value_at(*csr, t));
  } else {
    std::vector<double> row(static_cast<std::size_t>(cols_of(x)));
    copy_rows(x, nullptr, i, 1, row.data(), cols_of(x));
    for (Index k = 0; k < cols_of(x); ++k) see(k, row[k]);
  }
  return key == 0 ? 1 : key;
}
template std::uint64_t key_of_row<float>(const DataView&, Index);
template std::uint64_t key_of_row<double>(const DataView&, Index);

}  // namespace dcsvm::data
