// Text models of other packages: reading tokens and knowing the line of an error. Writing: text_writer.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/interrupts.hpp"
#include "dcsvm/svmlight.hpp"

namespace dcsvm::files {

/// The first token of a text, "" when it has none.
std::string_view first_token(std::string_view text);
/// The first of `words` that is a token of the text, "" when none is.
std::string_view first_of(std::string_view text, std::initializer_list<std::string_view> words);

/// What tells `warn` "path: what".
Warn with_path(const std::string& path, const Warn& warn);

/// Reads the tokens of a text. Every error is a ModelError ("line 7: what").
class Tokens {
 public:
  /// interrupted: as Hooks::interrupted, asked between tokens, whose functions then throw Interrupted.
  Tokens(std::string_view text, std::function<bool()> interrupted, Warn warn);
  Tokens(const Tokens&) = delete;
  Tokens& operator=(const Tokens&) = delete;

  [[noreturn]] void fail(const std::string& what) const;
  /// LIBSVM's words for a key that no model has; of a file in dcsvm's own format, what it is.
  [[noreturn]] void fail_key(std::string_view key) const;

  /// The next token; blanks and line ends separate tokens alike. `what` is the name of what is expected, for errors.
  std::string_view word(const char* what);
  /// Finite.
  double real(const char* what);
  int integer(const char* what, std::int64_t low, std::int64_t high);
  /// Goes to the next line, whatever is left on this one.
  void skip_line();
  /// Whether the text ends here without the end of its last line; right behind a number, digits may be missing.
  bool ends_within_line() const { return p_ + 1 == end_ && !has_line_end_; }
  /// Warns when text is left, behind what `last` names: the original programs leave it out as well.
  void leave_rest(const char* last);
  void warn(const std::string& what) const;

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
  /// The token [first, last) when it is a whole number; it may have a plus.
  static std::optional<std::int64_t> whole_number(const char* first, const char* last);

  const char* p_ = nullptr;

 private:
  void skip_blanks() {
    while (p_ != end_ && is_blank(*p_)) ++p_;
  }

  std::string text_;  // with a line feed behind all lines, so that tokens end before it does
  const char* end_ = nullptr;
  bool has_line_end_ = true;
  int line_ = 1;
  int tokens_ = 0;
  base::Interrupts interrupts_;
  Warn warn_;
};

}  // namespace dcsvm::files
