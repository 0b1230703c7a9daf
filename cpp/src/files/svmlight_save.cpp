#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/call.hpp"
#include "data/check.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/io.hpp"
#include "files/file.hpp"

namespace dcsvm {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;
constexpr std::size_t kLongest = 64;  // more than one "index:value " takes

class TextWriter {
 public:
  TextWriter(files::AtomicFile& file, const base::ThreadPool& host) : file_(file), host_(host), buffer_(kBuffer, '\0') {}

  void put(char c) { buffer_[used_++] = c; }
  void put(Index i) { end(std::to_chars(here(), limit(), i)); }
  // Shortest text that reads back as v; whole numbers without an exponent (100000, not 1e+05). -0.0 is no whole number here.
  template <class T>
  void put_number(T v) {
    static_assert(std::is_floating_point_v<T>);
    if (std::fabs(v) < static_cast<T>(1e15) && v == std::trunc(v) && !(v == 0 && std::signbit(v))) {
      put(static_cast<Index>(v));
    } else {
      end(std::to_chars(here(), limit(), v));
    }
  }
  void room() {
    if (used_ + kLongest > buffer_.size()) flush();
  }
  void flush() {
    host_.poll();
    file_.write({buffer_.data(), used_});
    used_ = 0;
  }

 private:
  char* here() { return buffer_.data() + used_; }
  char* limit() { return buffer_.data() + buffer_.size(); }
  void end(std::to_chars_result result) { used_ = static_cast<std::size_t>(result.ptr - buffer_.data()); }

  files::AtomicFile& file_;
  const base::ThreadPool& host_;
  std::string buffer_;
  std::size_t used_ = 0;
};

template <class T>
void write_entry(TextWriter& out, Index index, T value) {
  out.room();
  out.put(' ');
  out.put(index);
  out.put(':');
  out.put_number(value);
}

void begin_line(TextWriter& out, double y) {
  out.room();
  out.put_number(y);
}

void end_line(TextWriter& out) {
  out.room();
  out.put('\n');
}

template <class T>
void write_dense(TextWriter& out, const DenseView& x, const double* y, Index base) {
  const T* data = static_cast<const T*>(x.data);
  for (Index i = 0; i < x.rows; ++i) {
    begin_line(out, y[i]);
    for (Index j = 0; j < x.cols; ++j) {
      const T v = data[i * x.row_stride + j * x.col_stride];
      if (v != 0) write_entry(out, j + base, v);
    }
    end_line(out);
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
    begin_line(out, y[i]);
    const Index end = integer(x.indptr, x.indptr_type, i + 1);
    for (Index k = integer(x.indptr, x.indptr_type, i); k < end; ++k) {
      write_entry(out, integer(x.indices, x.index_type, k) + base, values[k]);
    }
    end_line(out);
  }
}

void check(const DataView& x, const double* y, base::ThreadPool& serial) {
  data::check_data(x, serial);
  if (cols_of(x) > std::numeric_limits<std::int32_t>::max() - 1) {
    throw DataError("X has more columns than the format can count (2147483646)");
  }
  if (y == nullptr) throw DataError("y is empty");
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
  TextWriter out(file, call.pool);
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
