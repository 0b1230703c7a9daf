// Decimal text to double, correctly rounded and independent of the locale. Plain decimals of up to 19 digits take paths of their
// own: a mantissa m <= 2^53 and a power 10^k, k <= 22, are both exact doubles, so that m / 10^k is rounded once
// (Clinger, How to read floating point numbers accurately, PLDI 1990); a longer m is divided as an integer. Everything else goes
// to std::from_chars.
#pragma once

#include <cfloat>
#include <charconv>
#include <cstdint>
#include <cstring>
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

/// m / 10^k, rounded once; m > 2^53, k <= 19. False: this compiler has no integers of 128 bits.
bool divide_by_power(std::uint64_t m, std::ptrdiff_t k, double& value);

/// Reads the digits at p behind those of m, eight at a time as far as [p, end) has them.
inline const char* read_digits(const char* p, const char* end, std::uint64_t& m) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  while (end - p >= 8) {
    std::uint64_t text;
    std::memcpy(&text, p, 8);
    // Every byte is '0' to '9': its upper half is 3, also after 6 was added.
    constexpr std::uint64_t kHalves = 0xf0f0f0f0f0f0f0f0, kThrees = 0x3030303030303030;
    if ((text & kHalves) != kThrees || ((text + 0x0606060606060606) & kHalves) != kThrees) break;
    text -= kThrees;
    text = text * 10 + (text >> 8);  // pairs of digits, in every second byte
    // The first and third pair times 10^6 and 10^2, the second and fourth times 10^4 and 1; their sum is in the upper half.
    constexpr std::uint64_t kPairs = 0x000000ff000000ff;
    text =
        (text & kPairs) * (100 + (std::uint64_t{1000000} << 32)) + ((text >> 16) & kPairs) * (1 + (std::uint64_t{10000} << 32));
    m = m * 100000000 + (text >> 32);
    p += 8;
  }
#endif
  for (; is_digit(*p); ++p) m = m * 10 + static_cast<std::uint64_t>(*p - '0');
  return p;
}

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
    p = detail::read_digits(p, end, mantissa);
    fraction = p - first;
    digits += fraction;
  }
  constexpr bool exact = FLT_EVAL_METHOD == 0;  // x87 would round twice
  const bool plain = digits > 0 && digits <= 19 && *p != 'e' && *p != 'E';
  if (!exact || !plain) return detail::parse_number_slowly(text, end, value);
  auto v = static_cast<double>(mantissa);
  if (mantissa > (std::uint64_t{1} << 53)) {
    if (!detail::divide_by_power(mantissa, fraction, v)) return detail::parse_number_slowly(text, end, value);
  } else if (fraction > 0) {
    v /= detail::kPowersOfTen[fraction];  // fraction <= digits <= 19
  }
  value = negative ? -v : v;
  return {p, NumberError::none};
}

}  // namespace dcsvm::files
