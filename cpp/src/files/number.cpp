#include "files/number.hpp"

#include <algorithm>
#include <cstring>

namespace dcsvm::files::detail {

namespace {

bool starts_with_word(const char* p, const char* end, const char* word) {
  for (; *word != '\0'; ++word, ++p) {
    if (p == end || (*p | 0x20) != *word) return false;
  }
  return true;
}

bool is_hex_digit(char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

// from_chars does not say whether a number is too large or too small: count its places. Either kind is far from 1.
bool is_large(const char* p, const char* end, bool hex) {
  long places = 0;  // of the first digit that is not 0: > 0 before the point, <= 0 behind it
  bool found = false, point = false;
  for (; p != end && (is_digit(*p) || *p == '.' || (hex && is_hex_digit(*p))); ++p) {
    if (*p == '.') {
      point = true;
    } else {
      found = found || *p != '0';
      if (found && !point) ++places;
      if (!found && point) --places;
    }
  }
  long exponent = 0;
  if (p != end && (*p | 0x20) == (hex ? 'p' : 'e')) {
    ++p;
    const bool negative = *p == '-';
    if (negative || *p == '+') ++p;
    for (; p != end && is_digit(*p); ++p) exponent = std::min(exponent * 10 + (*p - '0'), 1000000000L);
    if (negative) exponent = -exponent;
  }
  return places * (hex ? 4 : 1) + exponent > 0;
}

}  // namespace

#if defined(__SIZEOF_INT128__)
double divide_by_power(std::uint64_t m, std::ptrdiff_t k) {
  if (m == 0) return 0;
  // Both begin with a 1, so that the quotient has 63 or 64 bits. Where the division leaves a rest, the last of them, far below
  // what a double holds, is set: then the conversion rounds the true quotient.
  const int m_zeros = __builtin_clzll(m), d_zeros = __builtin_clzll(kIntegerPowersOfTen[k]);
  const Wide numerator = static_cast<Wide>(m << m_zeros) << 63;
  const std::uint64_t divisor = kIntegerPowersOfTen[k] << d_zeros;
  const auto quotient = static_cast<std::uint64_t>(numerator / divisor);
  const bool rest = static_cast<Wide>(quotient) * divisor != numerator;
  const std::uint64_t exponent = static_cast<std::uint64_t>(1023 + d_zeros - m_zeros - 63) << 52;
  double scale;
  std::memcpy(&scale, &exponent, sizeof scale);
  return static_cast<double>(quotient | (rest ? 1U : 0U)) * scale;
}
#endif

Number parse_number_slowly(const char* text, const char* end, double& value) {
  const char* p = text;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  if (!is_digit(*p) && *p != '.') {
    const bool special = starts_with_word(p, end, "nan") || starts_with_word(p, end, "inf");
    return {p, special ? NumberError::not_finite : NumberError::malformed};
  }
  // The digits are looked at because from_chars would take a second sign, or a word.
  const char* prefixed = p + 2;
  const bool hex =
      *p == '0' && (p[1] | 0x20) == 'x' && (is_hex_digit(*prefixed) || (*prefixed == '.' && is_hex_digit(prefixed[1])));
  if (hex) p = prefixed;
  double v = 0;
  const auto [last, error] = std::from_chars(p, end, v, hex ? std::chars_format::hex : std::chars_format::general);
  if (error == std::errc::invalid_argument) return {p, NumberError::malformed};
  if (error == std::errc::result_out_of_range) {
    if (is_large(p, last, hex)) return {last, NumberError::overflow};
    v = 0;
  }
  value = negative ? -v : v;
  return {last, NumberError::none};
}

}  // namespace dcsvm::files::detail
