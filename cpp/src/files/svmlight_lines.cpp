#include <cstring>

#include "files/plain_entry.hpp"
#include "files/printable.hpp"
#include "files/svmlight.hpp"

namespace dcsvm::files {

namespace {

// Largest index in a file, and most columns: both have 32 bits. The commands (strict) call the index itself a column.
constexpr Index kLargestIndex = 2147483647;

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
inline bool is_end(char c) { return c == '\n' || c == '#'; }

inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

// The token at p for an error's text, shortened.
std::string quoted(const char* p) {
  constexpr std::ptrdiff_t kMost = 24;
  const char* end = p;
  while (end - p < kMost && !is_blank(*end) && *end != '\n') ++end;
  const bool whole = is_blank(*end) || *end == '\n';
  return "'" + printable({p, static_cast<std::size_t>(end - p)}) + (whole ? "'" : "...'");
}

// Whether the line begins as a compressed file or an archive does. A line ends with a line feed, so no byte beyond it is read.
bool is_compressed(const char* p) {
  for (const char* start : {"\037\213", "BZh", "\3757zXZ", "PK\003\004"}) {  // gzip, bzip2, xz, zip
    if (std::strncmp(p, start, std::strlen(start)) == 0) return true;
  }
  return false;
}

}  // namespace

SvmlightCount count_svmlight(const char* begin, const char* end) {
  SvmlightCount count;
  while (begin != end) {
    // Short pieces keep the sums in bytes, where 16 or more are added at once.
    const auto n = static_cast<int>(end - begin < 192 ? end - begin : 192);
    std::uint8_t lines = 0, colons = 0;
    for (int i = 0; i < n; ++i) {
      lines = static_cast<std::uint8_t>(lines + (begin[i] == '\n'));
      colons = static_cast<std::uint8_t>(colons + (begin[i] == ':'));
    }
    count.lines += lines;
    count.colons += colons;
    begin += n;
  }
  return count;
}

const char* SvmlightLines::fail(const char* at, const std::string& what) {
  error_at_ = at;
  error_ = what;
  return nullptr;
}

const char* SvmlightLines::fail_number(const char* at, const char* end, NumberError error, const char* what) {
  if (at == end || is_blank(*at) || is_end(*at)) return fail(at, std::string(what) + " is missing");
  const std::string text = std::string(what) + " " + quoted(at);
  if (error == NumberError::not_finite) return fail(at, text + " is not finite");
  if (error == NumberError::overflow) return fail(at, text + " is beyond the range of a double");
  return fail(at, text + " is not a number");
}

const char* SvmlightLines::parse_label(const char* p, const char* end, double& y) {
  if (std::strncmp(p, "qid:", 4) == 0) return fail(p, "a label is missing before qid:, and qid: is not supported");
  const Number number = parse_number(p, end, y);
  if (number.error != NumberError::none) {
    if (is_compressed(p))
      return fail(p, "expected text, found a compressed file: unpack it first; dcsvm train reads .gz, .bz2 and .xz");
    return fail_number(p, end, number.error, "label");
  }
  const char* q = number.end;
  if (is_blank(*q) || is_end(*q)) return q;
  if (*q == ',') return fail(p, "several labels on one line are not supported: " + quoted(p) + " (or is it a CSV file?)");
  if (*q == ';') return fail(p, "label " + quoted(p) + " is not a number (or is it a table? Columns are separated by commas)");
  if (*q == ':') return fail(p, "a label is missing before " + quoted(p));
  return fail(p, "label " + quoted(p) + " is not a number");
}

// Reads "index:"; `index` is what the file says.
const char* SvmlightLines::parse_index(const char* p, const char* end, Index& index) {
  const char* digits = *p == '+' ? p + 1 : p;  // as strtol has it
  std::uint64_t i = 0;
  const char* q = detail::read_digits(digits, end, i);
  constexpr std::uint64_t kLargest = kLargestIndex;
  constexpr int kFits = 19;  // digits that do not overflow; zeros in front may be more
  if (q - digits > kFits) {
    i = 0;
    for (q = digits; is_digit(*q) && i <= kLargest; ++q) i = i * 10 + static_cast<std::uint64_t>(*q - '0');
  }
  if (i > kLargest) return fail(p, "index " + quoted(p) + " is too large (at most " + std::to_string(kLargestIndex) + ")");
  if (q != digits && *q == ':') {
    index = static_cast<Index>(i);
    return q + 1;
  }
  if (std::strncmp(p, "qid:", 4) == 0) return fail(p, "qid: is not supported");
  if (*p == '-' && is_digit(p[1])) return fail(p, "index " + quoted(p) + " is negative");
  double value = 0;
  const Number number = parse_number(p, end, value);
  const bool table = number.error == NumberError::none && (is_blank(*number.end) || is_end(*number.end));
  const char* hint = table ? " (or is it a table? Columns are separated by commas, in a CSV file)" : "";
  return fail(p, quoted(p) + " is not index:value" + hint);
}

const char* SvmlightLines::parse_values(const char* p, const char* end, const Output& out) {
  const Index base = options_.zero_based ? 0 : 1;
  const Index limit = options_.n_features > 0 ? options_.n_features : kLargestIndex + (options_.strict ? 1 : 0);
  Index previous = -1, k = values_;
  for (p = skip_blanks(p); !is_end(*p); p = skip_blanks(p)) {
    const char* token = p;
    const bool surrounded = p - begin_ >= detail::kPlainBefore;
    while (surrounded && k < out.room.colons && end - p >= detail::kPlainBehind) {
      const detail::PlainEntry plain = detail::read_plain_entry(p);
      const Index column = static_cast<Index>(plain.index) - base;
      if (plain.end == nullptr || column <= previous || column >= limit) break;
      out.values[k] = plain.value;
      out.indices[k] = static_cast<std::int32_t>(column);
      ++k;
      previous = column;
      p = plain.end;
      if (*p == '\n') break;
      ++p;
    }
    if (p != token) continue;
    Index index = 0;
    double value = 0;
    if ((p = parse_index(p, end, index)) == nullptr) return nullptr;
    const Index column = index - base;
    if (column <= previous || column >= limit) {
      const std::string text = "index " + std::to_string(index);
      if (column < 0) {
        const char* cure = options_.strict ? "" : " (for indices that start at 0 set zero_based)";
        return fail(token, text + " in a file whose indices start at 1" + cure);
      }
      if (column == previous) return fail(token, text + " is given twice");
      if (column < previous) return fail(token, text + " after " + std::to_string(previous + base) + ": indices must ascend");
      if (options_.n_features == 0) return fail(token, text + " is too large (at most 2147483646 where indices start at 0)");
      return fail(token, text + " is beyond n_features = " + std::to_string(options_.n_features));
    }
    const char* behind = p;
    p = skip_blanks(p);  // strtok skips them behind the colon, too
    const Number number = parse_number(p, end, value);
    if (p != behind && *number.end == ':') return fail(behind, "value is missing");
    if (number.error != NumberError::none) return fail_number(p, end, number.error, "value");
    if (k == out.room.colons) return nullptr;
    if (!is_blank(*number.end) && !is_end(*number.end)) return fail(p, "value " + quoted(p) + " is not a number");
    out.values[k] = value;
    out.indices[k] = static_cast<std::int32_t>(column);
    ++k;
    previous = column;
    p = number.end;
  }
  values_ = k;
  if (previous >= cols_) cols_ = previous + 1;
  return p;
}

bool SvmlightLines::parse(const char* begin, const char* end, const Output& out) {
  begin_ = begin;
  for (const char* p = begin; p != end; ++p) {
    p = skip_blanks(p);
    if (options_.strict && is_end(*p)) return fail(p, "a label is missing") != nullptr;
    if (!is_end(*p)) {
      double y = 0;
      if ((p = parse_label(p, end, y)) == nullptr) return false;
      if ((p = parse_values(p, end, out)) == nullptr || rows_ == out.room.lines) return false;
      out.y[rows_] = y;
      out.row_end[rows_] = values_;
      ++rows_;
    }
    if (*p == '#') p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
  }
  return true;
}

}  // namespace dcsvm::files
