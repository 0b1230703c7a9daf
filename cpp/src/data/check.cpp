#include "data/check.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "data/first_bad.hpp"
#include "data/read.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::data {

namespace {

using base::ThreadPool;

// Values per piece of work: large enough to pay for starting it, small enough to stay in L2.
constexpr Index kCheckGrain = Index{1} << 16;
using Use = std::function<void(Index begin, Index end)>;

template <class T>
struct Bits;
template <>
struct Bits<float> {
  using Word = std::uint32_t;
  static constexpr Word exponent = 0x7f800000U, unit = 0x00800000U, carry = 0x80000000U;
};
template <>
struct Bits<double> {
  using Word = std::uint64_t;
  static constexpr Word exponent = 0x7ff0000000000000ULL, unit = 0x0010000000000000ULL, carry = 0x8000000000000000ULL;
};

// An exponent of all ones (NaN, infinity) plus one carries into the sign bit: and, add, or vectorise on any CPU.
template <class T>
bool all_finite(const T* v, Index n) {
  using B = Bits<T>;
  typename B::Word seen = 0;
  for (Index i = 0; i < n; ++i) {
    typename B::Word w;
    std::memcpy(&w, v + i, sizeof w);
    seen |= (w & B::exponent) + B::unit;
  }
  return (seen & B::carry) == 0;
}

template <class T>
bool all_finite_strided(const T* v, Index n, Index stride) {
  bool ok = true;
  for (Index i = 0; i < n; ++i) ok &= std::isfinite(v[i * stride]);
  return ok;
}

std::string number(double v) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, v).ptr};
}

std::string at(Index row, Index col) { return "row " + std::to_string(row) + ", column " + std::to_string(col); }

const char* kind(double v) { return std::isnan(v) ? "NaN" : "infinity"; }

[[noreturn]] void not_finite(const char* name, double v, Index row, Index col) {
  throw DataError(std::string(name) + " has " + kind(v) + " at " + at(row, col));
}

[[noreturn]] void no_data(const char* name) { throw DataError(std::string(name) + " has no data (null pointer)"); }

// first_bad() for rows that are tested `part` at a time; for use() see check_data.
template <class Good>
Index first_bad_rows(Index rows, Index part, ThreadPool& pool, const Use& use, const Good& good) {
  return first_bad(rows, use ? kPieceRows : part, pool, [&](Index begin, Index end) {
    for (Index from = begin; from < end; from += part) {
      const Index to = std::min(end, from + part);
      if (!good(from, to)) return false;
      if (use) use(from, to);
    }
    return true;
  });
}

template <class T>
bool dense_rows_finite(const DenseView& x, Index begin, Index end) {
  const T* data = static_cast<const T*>(x.data) + begin * x.row_stride;
  if (x.col_stride == 1 && x.row_stride == x.cols) return all_finite(data, (end - begin) * x.cols);
  if (x.row_stride == 1) {
    for (Index j = 0; j < x.cols; ++j) {
      if (!all_finite(data + j * x.col_stride, end - begin)) return false;
    }
    return true;
  }
  for (Index i = 0; i < end - begin; ++i) {
    const T* row = data + i * x.row_stride;
    if (!(x.col_stride == 1 ? all_finite(row, x.cols) : all_finite_strided(row, x.cols, x.col_stride))) return false;
  }
  return true;
}

template <class T>
void check_view(const DenseView& x, ThreadPool& pool, const char* name, const Use& use) {
  const Index bad = first_bad_rows(x.rows, std::max<Index>(1, kCheckGrain / x.cols), pool, use,
                                   [&](Index b, Index e) { return dense_rows_finite<T>(x, b, e); });
  if (bad == kNone) return;
  const T* data = static_cast<const T*>(x.data);
  for (Index i = bad; i < x.rows; ++i) {
    for (Index j = 0; j < x.cols; ++j) {
      const T v = data[i * x.row_stride + j * x.col_stride];
      if (!std::isfinite(v)) not_finite(name, static_cast<double>(v), i, j);
    }
  }
}

template <class P>
void check_indptr(const P* indptr, Index rows, ThreadPool& pool, const char* name) {
  if (indptr[0] != 0) throw DataError(std::string(name) + ": indptr must start at 0, got " + std::to_string(indptr[0]));
  const Index bad = first_bad(rows, kCheckGrain, pool, [&](Index begin, Index end) {
    bool ok = true;
    for (Index i = begin; i < end; ++i) ok &= indptr[i + 1] >= indptr[i];
    return ok;
  });
  if (bad == kNone) return;
  for (Index i = bad; i < rows; ++i) {
    if (indptr[i + 1] < indptr[i]) {
      throw DataError(std::string(name) + ": indptr decreases at row " + std::to_string(i) + " (from " +
                      std::to_string(indptr[i]) + " to " + std::to_string(indptr[i + 1]) + ")");
    }
  }
}

// Strictly ascending with both ends in range; then everything between is in range too.
template <class I>
bool columns_good(const I* indices, Index n, Index cols) {
  if (n == 0) return true;
  bool ok = indices[0] >= 0 && static_cast<Index>(indices[n - 1]) < cols;
  for (Index k = 1; k < n; ++k) ok &= indices[k] > indices[k - 1];
  return ok;
}

template <class T, class I>
[[noreturn]] void name_csr_error(const CsrView& x, Index row, Index begin, Index end, const char* name) {
  const auto* values = static_cast<const T*>(x.values) + begin;
  const auto* indices = static_cast<const I*>(x.indices) + begin;
  const std::string head = std::string(name) + ": row " + std::to_string(row);
  for (Index k = 0; k < end - begin; ++k) {
    const std::string column = std::to_string(indices[k]);
    if (indices[k] < 0 || static_cast<Index>(indices[k]) >= x.cols) {
      throw DataError(head + " has column index " + column + ", out of range for " + std::to_string(x.cols) + " columns");
    }
    if (k > 0 && indices[k] == indices[k - 1])
      throw DataError(head + " has duplicate column " + column + ": give each column of a row once, with the sum of its values");
    if (k > 0 && indices[k] < indices[k - 1]) {
      throw DataError(head + " has unsorted columns: " + column + " after " + std::to_string(indices[k - 1]) +
                      "; sort each row by columns");
    }
    if (!std::isfinite(values[k])) not_finite(name, static_cast<double>(values[k]), row, static_cast<Index>(indices[k]));
  }
  throw DataError(head + " changed while it was checked");
}

template <class T, class I, class P>
void check_csr(const CsrView& x, ThreadPool& pool, const char* name, const Use& use) {
  const auto* indptr = static_cast<const P*>(x.indptr);
  check_indptr(indptr, x.rows, pool, name);
  const auto* values = static_cast<const T*>(x.values);
  const auto* indices = static_cast<const I*>(x.indices);
  const auto nnz = static_cast<Index>(indptr[x.rows]);
  if (nnz > 0 && (values == nullptr || indices == nullptr)) no_data(name);
  const auto row_good = [&](Index i) {
    const auto begin = static_cast<Index>(indptr[i]);
    return columns_good(indices + begin, static_cast<Index>(indptr[i + 1]) - begin, x.cols);
  };
  const auto good = [&](Index begin, Index end) {
    bool ok = all_finite(values + indptr[begin], static_cast<Index>(indptr[end]) - static_cast<Index>(indptr[begin]));
    for (Index i = begin; i < end; ++i) ok &= row_good(i);
    return ok;
  };
  const Index bad = first_bad_rows(x.rows, std::max<Index>(1, kCheckGrain / (nnz / x.rows + 1)), pool, use, good);
  if (bad == kNone) return;
  for (Index i = bad; i < x.rows; ++i) {
    const auto begin = static_cast<Index>(indptr[i]), end = static_cast<Index>(indptr[i + 1]);
    if (!row_good(i) || !all_finite(values + begin, end - begin)) name_csr_error<T, I>(x, i, begin, end, name);
  }
}

template <class T>
void check_view(const CsrView& x, ThreadPool& pool, const char* name, const Use& use) {
  const bool short_index = x.index_type == IndexType::int32, short_indptr = x.indptr_type == IndexType::int32;
  if (short_index && short_indptr) return check_csr<T, std::int32_t, std::int32_t>(x, pool, name, use);
  if (short_index) return check_csr<T, std::int32_t, std::int64_t>(x, pool, name, use);
  if (short_indptr) return check_csr<T, std::int64_t, std::int32_t>(x, pool, name, use);
  check_csr<T, std::int64_t, std::int64_t>(x, pool, name, use);
}

const void* start_of(const DenseView& x) { return x.data; }
const void* start_of(const CsrView& x) { return x.indptr; }

}  // namespace

void check_given(const DataView& x, const char* name) {
  const Index rows = rows_of(x), cols = cols_of(x);
  if (rows < 0 || cols < 0) {
    throw DataError(std::string(name) + " has a negative size: " + std::to_string(rows) + " rows, " + std::to_string(cols) +
                    " columns");
  }
  const auto* dense = std::get_if<DenseView>(&x);
  if (dense != nullptr && dense->row_stride == 0 && rows > 1 && cols > 0) {
    throw DataError(std::string(name) +
                    ": row_stride is 0, so every row would be the first one; set it to the number of columns "
                    "where rows follow each other, as dcsvm::dense does");
  }
  if (rows > 0 && cols > 0 && std::visit([](const auto& view) { return start_of(view) == nullptr; }, x)) no_data(name);
}

void check_data(const DataView& x, ThreadPool& pool, const char* name, const std::function<void(Index, Index)>& use) {
  check_given(x, name);
  const Index rows = rows_of(x), cols = cols_of(x);
  if (rows == 0 || cols == 0) {
    throw DataError(std::string(name) + " is empty: " + std::to_string(rows) + " rows, " + std::to_string(cols) + " columns");
  }
  if (cols > kMostColumns) {
    throw DataError(std::string(name) + " has " + std::to_string(cols) + " columns; at most " + std::to_string(kMostColumns) +
                    " are supported: hash the features to fewer");
  }
  std::visit(
      [&](const auto& view) {
        view.scalar == ScalarType::float32 ? check_view<float>(view, pool, name, use) : check_view<double>(view, pool, name, use);
      },
      x);
}

void check_domain(const DataView& x, KernelType kernel, ThreadPool& pool, const char* name) {
  if (!traits_of(kernel).nonnegative) return;
  const Index n = rows_of(x), d = cols_of(x);
  const auto* csr = std::get_if<CsrView>(&x);
  struct Found {
    Index row = -1, column = -1;
    double value = 0;
  };
  std::vector<Found> found((n + kPieceRows - 1) / kPieceRows);
  pool.for_range(n, kPieceRows, [&](Index begin, Index end, int) {
    Found& first = found[begin / kPieceRows];
    std::vector<double> row(csr != nullptr ? 0 : d);
    for (Index i = begin; i < end && first.row < 0; ++i) {
      const auto look = [&](Index column, double value) {
        if (value < 0 && first.row < 0) first = {i, column, value};
      };
      if (csr != nullptr) {
        for (Index t = row_begin(*csr, i), last = row_begin(*csr, i + 1); t < last; ++t)
          look(column_at(*csr, t), value_at(*csr, t));
      } else {
        copy_rows(x, nullptr, i, 1, row.data(), d);
        for (Index k = 0; k < d; ++k) look(k, row[k]);
      }
    }
  });
  for (const Found& f : found) {
    if (f.row < 0) continue;
    throw DataError(std::string(name) + " has " + number(f.value) + " at row " + std::to_string(f.row) + ", column " +
                    std::to_string(f.column) + ": kernel=" + name_of(kernel) +
                    " is for features >= 0. Shift or scale the features, or choose another kernel");
  }
}

void check_targets(const double* y, Index n) {
  if (n <= 0) throw DataError("y is empty");
  if (y == nullptr) no_data("y");
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(y[i])) throw DataError(std::string("y has ") + kind(y[i]) + " at row " + std::to_string(i));
  }
}

void check_labels(const double* y, Index n) {
  check_targets(y, n);
  if (std::all_of(y, y + n, [&](double label) { return label == y[0]; }))
    throw DataError("y has one class only (" + number(y[0] + 0.0) + ")");  // + 0.0: -0 is 0
}

void check_weights(const double* w, Index n) {
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(w[i])) {
      throw DataError(std::string("sample_weight has ") + kind(w[i]) + " at row " + std::to_string(i));
    }
    if (w[i] < 0) throw DataError("sample_weight is negative at row " + std::to_string(i) + " (" + number(w[i]) + ")");
  }
}

}  // namespace dcsvm::data
