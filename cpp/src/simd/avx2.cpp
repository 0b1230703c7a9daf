// The vectorised operations for avx2 (16 registers: 12 accumulators, 2 columns, 1 broadcast).
#define DCSVM_VECTOR_BYTES 32
#define DCSVM_TILE_ROWS 6
#define DCSVM_TILE_VECTORS 2

#include "simd/bytes.hpp"
#include "simd/ops_impl.hpp"

namespace dcsvm::simd {
namespace {

using Ints = __m256i;

bool quantize(const ByteGrid& grid, const double* x, Index n, std::uint8_t* out) {
  const __m256d offset = _mm256_set1_pd(grid.offset), step = _mm256_set1_pd(grid.step), inverse = _mm256_set1_pd(1.0 / grid.step);
  const __m256d zero = _mm256_setzero_pd(), last = _mm256_set1_pd(255.0), sign = _mm256_set1_pd(-0.0);
  const __m256d as_float = _mm256_set1_pd(grid.exact ? 0x1.0p-51 : 0x1.0p-23), as_double = _mm256_set1_pd(0x1.0p-51);
  const __m256d room = _mm256_andnot_pd(sign, offset);
  const __m256d most = _mm256_set1_pd(0x1.0p-12 * grid.step);  // far from zero the rounding alone may be as large as a step
  bool all = true;
  const __m128i low_bytes = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  for (Index k = 0; k < n; k += 4) {
    const Index count = n - k < 4 ? n - k : 4;
    double some[4] = {grid.offset, grid.offset, grid.offset, grid.offset};
    for (Index t = 0; count < 4 && t < count; ++t) some[t] = x[k + t];
    const __m256d v = _mm256_loadu_pd(count < 4 ? some : x + k);
    __m256d u = _mm256_round_pd(_mm256_mul_pd(_mm256_sub_pd(v, offset), inverse), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    u = _mm256_min_pd(_mm256_max_pd(u, zero), last);  // NaN becomes 0 and fails below
    const __m256d is_float = _mm256_cmp_pd(_mm256_cvtps_pd(_mm256_cvtpd_ps(v)), v, _CMP_EQ_OQ);
    const __m256d share = _mm256_blendv_pd(as_double, as_float, is_float);
    const __m256d tolerated = _mm256_min_pd(_mm256_mul_pd(share, _mm256_add_pd(_mm256_andnot_pd(sign, v), room)), most);
    const __m256d error = _mm256_andnot_pd(sign, _mm256_sub_pd(_mm256_fnmadd_pd(u, step, v), offset));
    all = all && _mm256_movemask_pd(_mm256_cmp_pd(error, tolerated, _CMP_LE_OQ)) == 0xF;
    const std::int32_t levels = _mm_cvtsi128_si32(_mm_shuffle_epi8(_mm256_cvtpd_epi32(u), low_bytes));
    __builtin_memcpy(out + k, &levels, static_cast<std::size_t>(count));
  }
  return all;
}

// A quad's four products are added in pairs of 16-bit values: two 32-bit sums for each column. Rows are widened once for all
// panels.
class ByteStrip {
 public:
  ByteStrip(const std::uint8_t* a, const Some& some) : a_(a), some_(some) {
    if (some.count <= kWide) widen(wide_, 0, some.count);
  }

  // Not inlined, as in avx512vnni.cpp.
  [[gnu::noinline]] void products(const std::int8_t* b, Ints (&out)[kMr][kNv]) const {
    for (auto& row : out) {
      for (Ints& sums : row) sums = _mm256_setzero_si256();
    }
    if (some_.count <= kWide) return add(wide_, 0, some_.count, b, out);
    std::int64_t wide[kWide * kMr];
    for (Index from = 0; from < some_.count; from += kWide) {
      const Index count = some_.count - from < kWide ? some_.count - from : kWide;
      widen(wide, from, count);
      add(wide, from, count, b, out);
    }
  }

 private:
  static constexpr Index kWide = 512;  // quads: 24 KB of stack

  Index quad(Index t) const { return some_.list == nullptr ? t : some_.list[t]; }

  void widen(std::int64_t* wide, Index from, Index count) const {
    for (Index t = 0; t < count; ++t) {
      const std::uint8_t* at = a_ + quad(from + t) * kMr * 4;
      for (Index r = 0; r < kMr; ++r) {
        std::int32_t bytes;
        __builtin_memcpy(&bytes, at + r * 4, sizeof(bytes));
        wide[t * kMr + r] = _mm_cvtsi128_si64(_mm_cvtepu8_epi16(_mm_cvtsi32_si128(bytes)));
      }
    }
  }

  void add(const std::int64_t* wide, Index from, Index count, const std::int8_t* b, Ints (&out)[kMr][kNv]) const {
    for (Index c = 0; c < kNv; ++c) {
      __m256i low[kMr] = {}, high[kMr] = {};  // of columns 0 to 3, and 4 to 7
      for (Index t = 0; t < count; ++t) {
        const std::int8_t* at = b + (quad(from + t) * kNv + c) * 32;
        const __m256i b0 = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
        const __m256i b1 = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16)));
#pragma GCC unroll 8
        for (Index r = 0; r < kMr; ++r) {
          const __m256i ar = _mm256_set1_epi64x(wide[t * kMr + r]);
          low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(ar, b0));
          high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(ar, b1));
          // One row after another: gcc 12 would broadcast all rows first, and keep sums in memory instead of registers.
          __asm__("" : "+x"(low[r]), "+x"(high[r]));
        }
      }
#pragma GCC unroll 8
      for (Index r = 0; r < kMr; ++r) {
        const __m256i pairs = _mm256_hadd_epi32(low[r], high[r]);  // columns 0 1 4 5 2 3 6 7
        out[r][c] = _mm256_add_epi32(out[r][c], _mm256_permute4x64_epi64(pairs, 0xD8));
      }
    }
  }

  const std::uint8_t* a_;
  const Some some_;
  std::int64_t wide_[kWide * kMr];
};

// The bits of a byte are looked up by its halves, and the numbers of up to kBytesHold words are added up as bytes.
class BitStrip {
 public:
  BitStrip(const std::uint8_t* a, const Some& some) : a_(a), some_(some) {}

  [[gnu::noinline]] void products(const std::int8_t* b, Ints (&out)[kMr][kNv]) const {
    for (Index c = 0; c < kNv; ++c) {
      __m256i sums[kMr] = {};
      for (Index from = 0; from < some_.count; from += kBytesHold)
        add(from, some_.count - from < kBytesHold ? some_.count : from + kBytesHold, b + c * 32, sums);
#pragma GCC unroll 8
      for (Index r = 0; r < kMr; ++r) out[r][c] = sums[r];
    }
  }

 private:
  static constexpr Index kBytesHold = 255 / 8;

  void add(Index from, Index to, const std::int8_t* b, __m256i (&sums)[kMr]) const {
    const __m256i ones =
        _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i half = _mm256_set1_epi8(0x0F);
    __m256i in_bytes[kMr] = {};
    for (Index t = from; t < to; ++t) {
      const Index q = some_.list == nullptr ? t : some_.list[t];
      const __m256i bv = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + q * kNv * 32));
#pragma GCC unroll 8
      for (Index r = 0; r < kMr; ++r) {
        std::int32_t word;
        __builtin_memcpy(&word, a_ + (q * kMr + r) * 4, sizeof(word));
        const __m256i common = _mm256_and_si256(_mm256_set1_epi32(word), bv);
        const __m256i low = _mm256_shuffle_epi8(ones, _mm256_and_si256(common, half));
        const __m256i high = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16(common, 4), half));
        in_bytes[r] = _mm256_add_epi8(in_bytes[r], _mm256_add_epi8(low, high));
      }
    }
#pragma GCC unroll 8
    for (Index r = 0; r < kMr; ++r) {
      const __m256i in_pairs = _mm256_maddubs_epi16(in_bytes[r], _mm256_set1_epi8(1));
      sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(in_pairs, _mm256_set1_epi16(1)));
    }
  }

  const std::uint8_t* a_;
  const Some some_;
};

#include "simd/bytes_impl.hpp"

}  // namespace

constexpr ByteOps avx2_bytes = {kMr,
                                kNr<float>,
                                1.5,
                                quantize,
                                kByteTiles<ByteStrip, float>,
                                kByteTiles<ByteStrip, double>,
                                4.0,
                                kByteTiles<BitStrip, float>,
                                kByteTiles<BitStrip, double>};

extern const IsaTables avx2_tables;
const IsaTables avx2_tables = make_tables(&avx2_bytes);

}  // namespace dcsvm::simd
