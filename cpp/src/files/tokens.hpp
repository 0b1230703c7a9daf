// Text models of other packages: reading tokens and knowing the line of an error. Writing: text_writer.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/interrupts.hpp"

namespace dcsvm::files {

/// Reads tokens of a text whose last character is a line feed. Every error is a ModelError ("line 7: what").
class Tokens {
 public:
  /// interrupted: as Hooks::interrupted, asked between tokens, whose functions then throw Interrupted.
  explicit Tokens(std::string_view text, std::function<bool()> interrupted = {})
      : p_(text.data()), end_(text.data() + text.size()), interrupts_(std::move(interrupted)) {}

  [[noreturn]] void fail(const std::string& what) const;
  /// LIBSVM's words for a key that no model has; of a file in dcsvm's own format, what it is.
  [[noreturn]] void fail_key(std::string_view key) const;

  /// The next token; blanks and line ends separate tokens alike. `what` is the name of what is expected, for errors.
  std::string_view word(const char* what);
  /// Finite.
  double real(const char* what);
  int integer(const char* what, std::int64_t low, std::int64_t high);
  /// Goes to the next line; a token that is left on this one is an error.
  void end_line();

  /// Whether this line has no further token.
  bool at_line_end();
  bool at_end() const { return p_ == end_; }
  /// The rest of the text in bytes: a bound for the number of values that it can hold.
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - p_); }

 protected:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
  const char* token_end();
  /// The token here, cut to 40 characters.
  std::string rest();
  double parse(const char* first, const char* last, const char* what) const;

  const char* p_;

 private:
  void skip_blanks() {
    while (p_ != end_ && is_blank(*p_)) ++p_;
  }

  const char* end_;
  int line_ = 1;
  int tokens_ = 0;
  base::Interrupts interrupts_;
};

}  // namespace dcsvm::files
