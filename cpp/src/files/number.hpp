// Decimal text to double, correctly rounded and independent of the locale. Short plain decimals take a path of their own:
// a mantissa m <= 2^53 and a power 10^k, k <= 22, are both exact doubles, so that m / 10^k is rounded once
// (Clinger, How to read floating point numbers accurately, PLDI 1990). Everything else goes to std::from_chars.
#pragma once

#include <cfloat>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace dcsvm::files {

enum class NumberError { none, malformed, not_finite, overflow };

struct Number {
  const char* end = nullptr;  ///< first character behind the number
  NumberError error = NumberError::none;
};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

namespace detail {

inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The general path of parse_number.
Number parse_number_slowly(const char* text, const char* end, double& value);

}  // namespace detail

/// Reads a number at `text`: sign, digits with an optional point, exponent. NaN, infinity and hexadecimal are refused; what
/// underflows becomes zero. [text, end) must hold a character that cannot belong to a number (a line end).
inline Number parse_number(const char* text, const char* end, double& value) {
  const char* p = text;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  std::uint64_t mantissa = 0;  // may wrap around; then there are more than 19 digits
  const char* first = p;
  for (; is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
  auto digits = p - first;
  std::ptrdiff_t fraction = 0;
  if (*p == '.') {
    first = ++p;
    for (; is_digit(*p); ++p) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p - '0');
    fraction = p - first;
    digits += fraction;
  }
  constexpr bool exact = FLT_EVAL_METHOD == 0;  // x87 would round twice
  const bool plain = digits > 0 && digits <= 19 && mantissa <= (std::uint64_t{1} << 53) && *p != 'e' && *p != 'E';
  if (!exact || !plain) return detail::parse_number_slowly(text, end, value);
  auto v = static_cast<double>(mantissa);
  if (fraction > 0) v /= detail::kPowersOfTen[fraction];  // fraction <= digits <= 19
  value = negative ? -v : v;
  return {p, NumberError::none};
}

}  // namespace dcsvm::files
