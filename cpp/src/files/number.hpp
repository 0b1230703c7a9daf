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

inline constexpr std::uint64_t kIntegerPowersOfTen[] = {1,
                                                        10,
                                                        100,
                                                        1000,
                                                        10000,
                                                        100000,
                                                        1000000,
                                                        10000000,
                                                        100000000,
                                                        1000000000,
                                                        10000000000,
                                                        100000000000,
                                                        1000000000000,
                                                        10000000000000,
                                                        100000000000000,
                                                        1000000000000000,
                                                        10000000000000000,
                                                        100000000000000000,
                                                        1000000000000000000,
                                                        10000000000000000000U};

#if defined(__SIZEOF_INT128__)
inline constexpr bool kDividesExactly = true;
__extension__ using Wide = unsigned __int128;

/// What multiplies instead of dividing by 10^k = d / 2^zeros, the highest bit of d being set.
struct Reciprocal {
  std::uint64_t factor = 0;    ///< 2^126 / d, rounded down
  std::uint64_t exponent = 0;  ///< zeros - 125 in the place of a double's exponent
};
struct Reciprocals {
  Reciprocal of[20];
};
constexpr Reciprocals make_reciprocals() {
  Reciprocals out;
  for (int k = 0; k < 20; ++k) {
    std::uint64_t d = kIntegerPowersOfTen[k], zeros = 0;
    for (; d >> 63 == 0; d <<= 1) ++zeros;
    out.of[k].factor = static_cast<std::uint64_t>((Wide{1} << 126) / d);
    out.of[k].exponent = (zeros - 125) << 52;
  }
  return out;
}
inline constexpr Reciprocals kReciprocals = make_reciprocals();

/// m / 10^k, rounded once; k <= 19.
double divide_by_power(std::uint64_t m, std::ptrdiff_t k);

/// The same, mostly without the division.
inline double scale_by_power(std::uint64_t m, std::ptrdiff_t k) {
  const Reciprocal& by = kReciprocals.of[k];
  const auto rounded = static_cast<double>(static_cast<std::int64_t>(m));
  std::uint64_t bits;
  std::memcpy(&bits, &rounded, sizeof bits);
  // m 2^(63 - e), e: the exponent of a double, which may be one too large.
  const std::uint64_t moved = m << ((63 + 1023 - (bits >> 52)) & 63);
  // The quotient has 61 to 63 bits and is less than 2 too small. It is rounded as the true one is, but where a border lies
  // between the two: a number whose last 7 bits are 0.
  const auto quotient = static_cast<std::uint64_t>(static_cast<Wide>(moved) * by.factor >> 64);
  if (((quotient + 2) & 127) <= 2 || m >> 63 != 0) return divide_by_power(m, k);
  bits = (bits >> 52 << 52) + by.exponent;
  double scale;  // a power of 2; std::ldexp takes as long as all of this
  std::memcpy(&scale, &bits, sizeof scale);
  return static_cast<double>(static_cast<std::int64_t>(quotient)) * scale;
}
#else
inline constexpr bool kDividesExactly = false;
inline double scale_by_power(std::uint64_t, std::ptrdiff_t) { return 0; }
#endif

/// m / 10^k of a number of at most 19 digits, rounded once; more than 15 only where kDividesExactly.
inline double decimal(std::uint64_t m, std::ptrdiff_t digits, std::ptrdiff_t k) {
  if (digits > 15) return scale_by_power(m, k);
  const auto v = static_cast<double>(static_cast<std::int64_t>(m));
  return k > 0 ? v / kPowersOfTen[k] : v;
}

/// The number of eight digits, each a byte from 0 to 9; the first in the lowest byte.
inline std::uint64_t eight_digits(std::uint64_t digits) {
  digits = digits * 10 + (digits >> 8);  // pairs of digits, in every second byte
  // The first and third pair times 10^6 and 10^2, the second and fourth times 10^4 and 1; their sum is in the upper half.
  constexpr std::uint64_t kPairs = 0x000000ff000000ff;
  digits =
      (digits & kPairs) * (100 + (std::uint64_t{1000000} << 32)) + ((digits >> 16) & kPairs) * (1 + (std::uint64_t{10000} << 32));
  return digits >> 32;
}

/// Reads the digits at p behind those of m, eight at a time as far as [p, end) has them. How many digits the last eight bytes
/// have is no branch: it differs from number to number.
inline const char* read_digits(const char* p, const char* end, std::uint64_t& m) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  while (end - p >= 8) {
    std::uint64_t text;
    std::memcpy(&text, p, 8);
    text ^= 0x3030303030303030;  // digits become 0 to 9
    // The highest bit of every byte that is no digit, and maybe of some behind the first of these.
    const std::uint64_t others = (text | (text + 0x7676767676767676)) & 0x8080808080808080;
    int n = 8;
    if (others != 0) {
      n = __builtin_ctzll(others) / 8;
      text = text << (56 - 8 * n) << 8;  // zeros before the digits instead of what is behind them
    }
    m = m * kIntegerPowersOfTen[n] + eight_digits(text);
    p += n;
    if (n < 8) return p;
  }
#endif
  for (; is_digit(*p); ++p) m = m * 10 + static_cast<std::uint64_t>(*p - '0');
  return p;
}

/// The general path of parse_number.
Number parse_number_slowly(const char* text, const char* end, double& value);

}  // namespace detail

/// Reads a number at `text` as strtod does: sign, digits with an optional point, exponent; or hexadecimal, as 0x1.8p3. NaN and
/// infinity are refused; what underflows becomes zero. [text, end) must hold a character that cannot belong to a number (a line
/// end).
inline Number parse_number(const char* text, const char* end, double& value) {
  const char* p = text;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  std::uint64_t mantissa = 0;  // may wrap around; then there are more than 19 digits
  const char* first = p;
  if (is_digit(*p) && !is_digit(p[1])) {  // as in all numbers below 10
    mantissa = static_cast<std::uint64_t>(*p++ - '0');
  } else {
    p = detail::read_digits(p, end, mantissa);
  }
  auto digits = p - first;
  std::ptrdiff_t fraction = 0;
  if (*p == '.') {
    first = ++p;
    p = detail::read_digits(p, end, mantissa);
    fraction = p - first;
    digits += fraction;
  }
  constexpr bool exact = FLT_EVAL_METHOD == 0;  // x87 would round twice
  constexpr int most = detail::kDividesExactly ? 19 : 15;
  const bool plain = digits > 0 && digits <= most && (*p | 0x20) != 'e' && (*p | 0x20) != 'x';
  if (!exact || !plain) return detail::parse_number_slowly(text, end, value);
  const double v = detail::decimal(mantissa, digits, fraction);
  value = negative ? -v : v;
  return {p, NumberError::none};
}

}  // namespace dcsvm::files
