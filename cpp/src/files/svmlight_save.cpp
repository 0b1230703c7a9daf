#include <cmath>
#include <cstdint>
#include <limits>

#include "base/call.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/svmlight.hpp"
#include "files/file.hpp"
#include "files/text_writer.hpp"

namespace dcsvm {

namespace {

using files::TextWriter;

template <class T>
void write_entry(TextWriter& out, Index index, T value) {
  out.word(" ").number(index).word(":").plain(value);
}

template <class T>
void write_dense(TextWriter& out, const DenseView& x, const double* y, Index base) {
  const T* data = static_cast<const T*>(x.data);
  for (Index i = 0; i < x.rows; ++i) {
    out.plain(y[i]);
    for (Index j = 0; j < x.cols; ++j) {
      const T v = data[i * x.row_stride + j * x.col_stride];
      if (v != 0) write_entry(out, j + base, v);
    }
    out.word("\n");
  }
}

Index integer(const void* data, IndexType type, Index k) {
  return type == IndexType::int32 ? static_cast<Index>(static_cast<const std::int32_t*>(data)[k])
                                  : static_cast<Index>(static_cast<const std::int64_t*>(data)[k]);
}

template <class T>
void write_csr(TextWriter& out, const CsrView& x, const double* y, Index base) {
  const T* values = static_cast<const T*>(x.values);
  for (Index i = 0; i < x.rows; ++i) {
    out.plain(y[i]);
    const Index end = integer(x.indptr, x.indptr_type, i + 1);
    for (Index k = integer(x.indptr, x.indptr_type, i); k < end; ++k) {
      write_entry(out, integer(x.indices, x.index_type, k) + base, values[k]);
    }
    out.word("\n");
  }
}

void check(const DataView& x, const double* y, base::ThreadPool& serial) {
  data::check_data(x, serial);
  if (cols_of(x) > std::numeric_limits<std::int32_t>::max() - 1) {
    throw DataError("X has more columns than the format can count (2147483646)");
  }
  if (y == nullptr) throw DataError("y has no data (null pointer)");
  for (Index i = 0; i < rows_of(x); ++i) {
    if (!std::isfinite(y[i])) throw DataError("y is not finite at row " + std::to_string(i));
  }
}

}  // namespace

void save_svmlight(const std::string& path, const DataView& x, const double* y, bool zero_based,
                   const std::function<bool()>& interrupted) {
  Hooks hooks;
  hooks.interrupted = interrupted;
  base::Call call(1, 0, 0.0, hooks);
  check(x, y, call.pool);
  files::AtomicFile file(path, interrupted);
  TextWriter out(file);
  const Index base = zero_based ? 0 : 1;
  if (const auto* dense = std::get_if<DenseView>(&x)) {
    dense->scalar == ScalarType::float32 ? write_dense<float>(out, *dense, y, base) : write_dense<double>(out, *dense, y, base);
  } else {
    const auto& csr = std::get<CsrView>(x);
    csr.scalar == ScalarType::float32 ? write_csr<float>(out, csr, y, base) : write_csr<double>(out, csr, y, base);
  }
  out.flush();
  file.commit();
}

}  // namespace dcsvm
