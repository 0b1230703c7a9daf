// Writing text: words, and numbers as printf does or in the shortest form.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "files/file.hpp"

namespace dcsvm::files {

class TextWriter {
 public:
  /// Into a string, which take() gives.
  TextWriter() = default;
  /// Into a file, in pieces of about 1 MB; flush() writes the last one.
  explicit TextWriter(AtomicFile& file) : file_(&file) {}

  TextWriter& word(std::string_view w) {
    text_ += w;
    return *this;
  }
  TextWriter& number(std::int64_t v) { return put(std::to_chars(room_, room_ + sizeof room_, v)); }
  /// printf's %.<digits>g
  TextWriter& number(double v, int digits) {
    return put(std::to_chars(room_, room_ + sizeof room_, v, std::chars_format::general, digits));
  }
  /// The shortest text that reads back the same number.
  template <class T>
  TextWriter& shortest(T v) {
    static_assert(std::is_floating_point_v<T>);
    return put(std::to_chars(room_, room_ + sizeof room_, v));
  }
  /// As shortest, but whole numbers without an exponent (100000, not 1e+05). -0.0 is no whole number here.
  template <class T>
  TextWriter& plain(T v) {
    if (std::fabs(v) < static_cast<T>(1e15) && v == std::trunc(v) && !(v == 0 && std::signbit(v))) {
      return number(static_cast<std::int64_t>(v));
    }
    return shortest(v);
  }

  std::string take() { return std::move(text_); }
  void flush() {
    file_->write(text_);
    text_.clear();
  }

 private:
  TextWriter& put(std::to_chars_result end) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    text_.append(room_, end.ptr);
    if (file_ != nullptr && text_.size() >= kPiece) flush();
    return *this;
  }
  char room_[400];  // %.17g needs 24
  std::string text_;
  AtomicFile* file_ = nullptr;
};

}  // namespace dcsvm::files
