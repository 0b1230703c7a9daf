#include "files/tokens.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "dcsvm/errors.hpp"
#include "files/number.hpp"
#include "files/printable.hpp"

namespace dcsvm::files {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::string_view first_token(std::string_view text) {
  const auto* first = std::find_if_not(text.begin(), text.end(), is_space);
  const auto* last = std::find_if(first, text.end(), is_space);
  return text.substr(static_cast<std::size_t>(first - text.begin()), static_cast<std::size_t>(last - first));
}

std::string_view first_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (;;) {
    const std::string_view token = first_token(text);
    if (token.empty() || std::find(words.begin(), words.end(), token) != words.end()) return token;
    text.remove_prefix(static_cast<std::size_t>(token.data() - text.data()) + token.size());
  }
}

Warn with_path(const std::string& path, const Warn& warn) {
  if (!warn) return {};
  return [path, &warn](const std::string& what) { warn(path + ": " + what); };
}

Tokens::Tokens(std::string_view text, std::function<bool()> interrupted, Warn warn)
    : text_(text),
      has_line_end_(!text.empty() && text.back() == '\n'),
      interrupts_(std::move(interrupted)),
      warn_(std::move(warn)) {
  if (!has_line_end_) text_ += '\n';
  p_ = text_.data();
  end_ = p_ + text_.size();
}

void Tokens::fail(const std::string& what) const { throw ModelError("line " + std::to_string(line_) + ": " + printable(what)); }

void Tokens::warn(const std::string& what) const {
  if (warn_) warn_("line " + std::to_string(line_) + ": " + printable(what));
}

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
  const auto v = whole_number(w.data(), w.data() + w.size());
  if (!v || *v < low || *v > high) {
    fail(std::string(what) + " must be a whole number from " + std::to_string(low) + " to " + std::to_string(high) + ", got \"" +
         std::string(w.substr(0, 40)) + "\"");
  }
  return static_cast<int>(*v);
}

void Tokens::skip_line() {
  while (p_ != end_ && *p_ != '\n') ++p_;
  if (p_ == end_) return;
  ++p_;
  ++line_;
}

void Tokens::leave_rest(const char* last) {
  for (; !at_end(); skip_line()) {
    if (!at_line_end()) return warn("\"" + rest() + "\" and all that follows is left out: it stands behind " + last);
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

std::optional<std::int64_t> Tokens::whole_number(const char* first, const char* last) {
  if (last - first > 1 && *first == '+' && first[1] != '-') ++first;
  std::int64_t v = 0;
  const auto [stop, error] = std::from_chars(first, last, v);
  if (first == last || error != std::errc() || stop != last) return std::nullopt;
  return v;
}

double Tokens::parse(const char* first, const char* last, const char* what) const {
  double v = 0;
  const Number n = parse_number(first, last + 1, v);  // [last] is a blank or a line feed
  if (n.error == NumberError::none && n.end == last) return v;
  const char* why = n.error == NumberError::not_finite ? " is not finite" : " is not a number";
  if (n.error == NumberError::overflow) why = " is beyond the range of a double";
  fail(std::string(what) + " \"" + std::string(first, std::min(last, first + 40)) + "\"" + why);
}

}  // namespace dcsvm::files
