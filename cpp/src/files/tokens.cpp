#include "files/tokens.hpp"

#include <algorithm>
#include <system_error>

#include "dcsvm/errors.hpp"
#include "files/number.hpp"

namespace dcsvm::files {

void Tokens::fail(const std::string& what) const { throw ModelError("line " + std::to_string(line_) + ": " + what); }

std::string_view Tokens::word(const char* what) {
  while (p_ != end_ && (is_blank(*p_) || *p_ == '\n')) line_ += *p_++ == '\n' ? 1 : 0;
  const char* first = p_;
  p_ = token_end();
  if (first == p_) fail(std::string("the file ends where ") + what + " is expected");
  return {first, static_cast<std::size_t>(p_ - first)};
}

void Tokens::fail_key(std::string_view key) const {
  if (key.substr(1, 5) == "DCSVM") {
    fail(
        "this is a model in dcsvm's own format, which `dcsvm predict` reads; in Python, "
        "dcsvm.load_model(file).save(path, format=\"libsvm\") or \"liblinear\" writes such a text");
  }
  fail("unknown text in model file: [" + std::string(key.substr(0, 80)) + "]");
}

double Tokens::real(const char* what) {
  const std::string_view w = word(what);
  return parse(w.data(), w.data() + w.size(), what);
}

int Tokens::integer(const char* what, std::int64_t low, std::int64_t high) {
  const std::string_view w = word(what);
  std::int64_t v = 0;
  const char* last = w.data() + w.size();
  const auto [stop, error] = std::from_chars(w.data() + (w[0] == '+' ? 1 : 0), last, v);
  if (error != std::errc() || stop != last || v < low || v > high) {
    fail(std::string(what) + " must be a whole number from " + std::to_string(low) + " to " + std::to_string(high) + ", got \"" +
         std::string(w.substr(0, 40)) + "\"");
  }
  return static_cast<int>(v);
}

void Tokens::end_line() {
  if (!at_line_end()) fail("\"" + rest() + "\" behind the last value");
  if (p_ != end_) {
    ++p_;
    ++line_;
  }
}

bool Tokens::at_line_end() {
  skip_blanks();
  return p_ == end_ || *p_ == '\n';
}

const char* Tokens::token_end() {
  constexpr int kTokens = 256;  // between two looks at the clock
  if (++tokens_ % kTokens == 0) interrupts_.poll();
  const char* q = p_;
  while (q != end_ && !is_blank(*q) && *q != '\n') ++q;
  return q;
}

std::string Tokens::rest() { return {p_, std::min(token_end(), p_ + 40)}; }

double Tokens::parse(const char* first, const char* last, const char* what) const {
  double v = 0;
  const Number n = parse_number(first, last + 1, v);  // [last] is a blank or a line feed
  if (n.error == NumberError::none && n.end == last) return v;
  const char* why = n.error == NumberError::not_finite ? " is not finite" : " is not a number";
  if (n.error == NumberError::overflow) why = " is beyond the range of a double";
  fail(std::string(what) + " \"" + std::string(first, std::min(last, first + 40)) + "\"" + why);
}

}  // namespace dcsvm::files
