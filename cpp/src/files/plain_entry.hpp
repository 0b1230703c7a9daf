// "index:value" of plain decimals, which is nearly all that a file of data has: where digits end is found for 32 bytes at once,
// and up to 32 digits become numbers together, so that no branch depends on how many there are. Anything else is left to the
// parser.
#pragma once

#include <cstddef>
#include <cstdint>

#include "files/number.hpp"

#if defined(__SSE2__) && defined(__SIZEOF_INT128__)
#include <emmintrin.h>
#endif

namespace dcsvm::files::detail {

inline constexpr std::ptrdiff_t kPlainBefore = 24, kPlainBehind = 40;  // bytes around an entry's first that may be read

struct PlainEntry {
  const char* end;  ///< a blank or a line feed; null: no plain decimals, or too long
  std::uint32_t index;
  double value;
};

#if defined(__SSE2__) && defined(__SIZEOF_INT128__)

inline __m128i load_8(const char* p) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)); }
inline __m128i load_16(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

/// Bit k: p[k] is no digit; also set from bit 32 on.
inline std::uint64_t other_than_digits(const char* p) {
  const auto digits = [p](int k) {
    const __m128i moved = _mm_add_epi8(load_16(p + k), _mm_set1_epi8(0x7f - '9'));  // digits become the largest signed numbers
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(moved, _mm_set1_epi8(0x7f - 10))));
  };
  return ~std::uint64_t{digits(0) | digits(16) << 16};
}

/// The n characters before `end` as digits, and zeros before them.
inline constexpr char kDigitMasks[33] = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\17\17\17\17\17\17\17\17\17\17\17\17\17\17\17\17";
inline __m128i last_of_8(const char* end, std::size_t n) { return _mm_and_si128(load_8(end - 8), load_8(kDigitMasks + 8 + n)); }
inline __m128i last_of_16(const char* end, std::size_t n) { return _mm_and_si128(load_16(end - 16), load_16(kDigitMasks + n)); }

/// Four numbers of eight digits each.
inline __m128i numbers_of(__m128i a, __m128i b) {
  const auto fours = [](__m128i digits) {
    const __m128i pairs = _mm_srli_epi16(_mm_mullo_epi16(digits, _mm_set1_epi16(10 * 256 + 1)), 8);
    return _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16));
  };
  return _mm_madd_epi16(_mm_packs_epi32(fours(a), fours(b)), _mm_set1_epi32(10000 | 1 << 16));
}
inline std::uint64_t first_two(__m128i numbers) { return static_cast<std::uint64_t>(_mm_cvtsi128_si64(numbers)); }

inline std::size_t first_bit(std::uint64_t bits) { return static_cast<std::size_t>(__builtin_ctzll(bits)); }

inline PlainEntry read_plain_entry(const char* p) {
  constexpr PlainEntry none{nullptr, 0, 0};
  // In turn: the colon, a minus right behind it or none, the point or none, what ends the value.
  std::uint64_t others = other_than_digits(p);
  const std::uint64_t colon_bit = others & (0 - others), minus_bit = others & (colon_bit << 1);
  others ^= colon_bit | minus_bit;
  const std::size_t colon = first_bit(colon_bit), point = first_bit(others);
  const bool negative = minus_bit != 0;
  const std::size_t begin = colon + 1 + (negative ? 1 : 0), whole = point - begin;
  if (p[colon] != ':' || negative != (p[colon + 1] == '-') || colon - 1 > 7 || whole - 1 > 7) return none;
  const __m128i index = last_of_8(p + colon, colon), zero = _mm_setzero_si128();
  if (p[point] != '.') {
    if (p[point] != ' ' && p[point] != '\n') return none;
    const std::uint64_t both = first_two(numbers_of(_mm_unpacklo_epi64(index, last_of_8(p + point, whole)), zero));
    const auto v = static_cast<double>(static_cast<std::int32_t>(both >> 32));
    return {p + point, static_cast<std::uint32_t>(both), negative ? -v : v};
  }
  const std::size_t last = first_bit(others & (others - 1)), fraction = last - point - 1, digits = whole + fraction;
  if (digits > 19 || (p[last] != ' ' && p[last] != '\n')) return none;
  auto m = static_cast<std::uint64_t>(p[begin] - '0');
  if (whole > 1) m = static_cast<std::uint32_t>(first_two(numbers_of(last_of_8(p + point, whole), zero)));
  // The last 16 digits of the fraction, and what is before them.
  const std::size_t low = fraction < 16 ? fraction : 16;
  const __m128i parts =
      numbers_of(_mm_unpacklo_epi64(index, last_of_8(p + last - 16, fraction - low)), last_of_16(p + last, low));
  const std::uint64_t front = first_two(parts), back = first_two(_mm_unpackhi_epi64(parts, parts));
  m = m * kIntegerPowersOfTen[fraction] + (front >> 32) * 10000000000000000U + (back & 0xffffffff) * 100000000 + (back >> 32);
  const double v = decimal(m, static_cast<std::ptrdiff_t>(digits), static_cast<std::ptrdiff_t>(fraction));
  return {p + last, static_cast<std::uint32_t>(front), negative ? -v : v};
}

#else

inline PlainEntry read_plain_entry(const char*) { return {nullptr, 0, 0}; }

#endif

}  // namespace dcsvm::files::detail
