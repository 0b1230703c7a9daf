// Little-endian numbers in memory: a writer, and a reader that neither reads nor allocates beyond the bytes that are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dcsvm/errors.hpp"

namespace dcsvm::files {

namespace detail {

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
inline constexpr bool kSwap = true;
#else
inline constexpr bool kSwap = false;
#endif

// To or from little-endian, in place.
inline void order(char* bytes, std::size_t count, std::size_t width) {
  if constexpr (kSwap) {
    for (std::size_t k = 0; k < count; ++k, bytes += width) {
      for (std::size_t i = 0; i < width / 2; ++i) std::swap(bytes[i], bytes[width - 1 - i]);
    }
  } else {
    static_cast<void>(bytes), static_cast<void>(count), static_cast<void>(width);
  }
}

}  // namespace detail

class ByteWriter {
 public:
  /// A scalar in its own width.
  template <class T>
  void put(T value) {
    put_all(&value, 1);
  }
  /// u64 count, then the elements.
  template <class T>
  void put_array(const std::vector<T>& values) {
    put<std::uint64_t>(values.size());
    put_all(values.data(), values.size());
  }
  void append(std::string_view raw) { bytes_.append(raw); }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void put_all(const T* values, std::size_t count) {
    static_assert(std::is_arithmetic_v<T>);
    if (count == 0) return;
    const std::size_t from = bytes_.size();
    bytes_.append(reinterpret_cast<const char*>(values), count * sizeof(T));
    detail::order(bytes_.data() + from, count, sizeof(T));
  }

  std::string bytes_;
};

/// Reads [begin, end) of `file`. Everything throws ModelError naming `where` and the byte's offset in the file.
class ByteReader {
 public:
  ByteReader(std::string_view file, std::size_t begin, std::size_t end, std::string where)
      : file_(file), at_(begin), end_(end), where_(std::move(where)) {}

  std::size_t offset() const { return at_; }
  std::size_t left() const { return end_ - at_; }

  template <class T>
  T get() {
    static_assert(std::is_arithmetic_v<T>);
    expect_bytes(sizeof(T));
    T value;
    copy_to(&value, 1);
    return value;
  }
  /// u64 count, then the elements; the count is compared with the bytes that are left before anything is allocated.
  template <class T>
  std::vector<T> get_array() {
    const std::size_t count = get_count(sizeof(T));
    std::vector<T> values(count);
    copy_to(values.data(), count);
    return values;
  }
  /// A u64 count of things that take at least `width` bytes each.
  std::size_t get_count(std::size_t width) {
    const std::size_t start = at_;
    const auto count = get<std::uint64_t>();
    if (count > left() / width) fail_at(start, "a count of " + std::to_string(count) + " is more than the bytes that are left");
    return static_cast<std::size_t>(count);
  }
  std::string get_string() {
    const auto length = get<std::uint32_t>();
    expect_bytes(length);
    std::string text(file_.substr(at_, length));
    at_ += length;
    return text;
  }
  /// All that is left.
  std::string get_rest() {
    std::string text(file_.substr(at_, left()));
    at_ = end_;
    return text;
  }
  /// The next n bytes as a reader of their own.
  ByteReader sub(std::size_t n) {
    expect_bytes(n);
    at_ += n;
    return {file_, at_ - n, at_, where_};
  }
  void finish() const {
    if (left() != 0) fail(std::to_string(left()) + " bytes too many");
  }

  [[noreturn]] void fail(const std::string& what) const { fail_at(at_, what); }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& what) const {
    throw ModelError("model: " + where_ + ", byte " + std::to_string(offset) + ": " + what);
  }

 private:
  void expect_bytes(std::size_t n) const {
    if (n > left()) fail(std::to_string(n) + " bytes expected, " + std::to_string(left()) + " left");
  }
  template <class T>
  void copy_to(T* values, std::size_t count) {
    if (count == 0) return;
    std::memcpy(values, file_.data() + at_, count * sizeof(T));
    detail::order(reinterpret_cast<char*>(values), count, sizeof(T));
    at_ += count * sizeof(T);
  }

  std::string_view file_;
  std::size_t at_, end_;
  std::string where_;
};

}  // namespace dcsvm::files
