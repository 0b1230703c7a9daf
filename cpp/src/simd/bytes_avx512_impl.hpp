// The byte products (bytes.hpp) of AVX-512 with VNNI. The source that includes this, in its unnamed namespace and before
// bytes_impl.hpp, has kMr rows and kNv vectors in a tile. The rules for per-ISA sources hold (ops_impl.hpp).

using Ints = __m512i;

bool quantize(const ByteGrid& grid, const double* x, Index n, std::uint8_t* out) {
  const __m512d offset = _mm512_set1_pd(grid.offset), step = _mm512_set1_pd(grid.step), inverse = _mm512_set1_pd(1.0 / grid.step);
  const __m512d zero = _mm512_setzero_pd(), last = _mm512_set1_pd(255.0), room = _mm512_abs_pd(offset);
  const __m512d as_float = _mm512_set1_pd(grid.exact ? 0x1.0p-51 : 0x1.0p-23), as_double = _mm512_set1_pd(0x1.0p-51);
  const __m512d most = _mm512_set1_pd(0x1.0p-12 * grid.step);  // far from zero the rounding alone may be as large as a step
  __mmask8 off = 0;
  for (Index k = 0; k < n; k += 8) {
    const auto lanes = static_cast<__mmask8>(n - k >= 8 ? 0xFF : (1 << (n - k)) - 1);
    const __m512d v = _mm512_maskz_loadu_pd(lanes, x + k);
    __m512d u =
        _mm512_roundscale_pd(_mm512_mul_pd(_mm512_sub_pd(v, offset), inverse), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    u = _mm512_min_pd(_mm512_max_pd(u, zero), last);  // NaN becomes 0 and fails below
    const __mmask8 is_float = _mm512_cmp_pd_mask(_mm512_cvtps_pd(_mm512_cvtpd_ps(v)), v, _CMP_EQ_OQ);
    const __m512d share = _mm512_mask_blend_pd(is_float, as_double, as_float);
    const __m512d tolerated = _mm512_min_pd(_mm512_mul_pd(share, _mm512_add_pd(_mm512_abs_pd(v), room)), most);
    const __m512d error = _mm512_abs_pd(_mm512_sub_pd(_mm512_fnmadd_pd(u, step, v), offset));
    off = static_cast<__mmask8>(off | (lanes & ~_mm512_cmp_pd_mask(error, tolerated, _CMP_LE_OQ)));
    _mm512_mask_cvtepi64_storeu_epi8(out + k, lanes, _mm512_cvtpd_epi64(u));
  }
  return off == 0;
}

// A strip is multiplied kGroup rows at a time: their accumulators fill the registers.
constexpr Index kGroup = 8;
static_assert(kMr % kGroup == 0, "whole groups of rows");

class ByteStrip {
 public:
  ByteStrip(const std::uint8_t* a, const Some& some) : a_(a), some_(some) {}

  void products(const std::int8_t* b, Ints (&out)[kMr][kNv]) const {
#pragma GCC unroll 2
    for (Index r = 0; r < kMr; r += kGroup) group(a_ + r * 4, b, out + r);
  }

 private:
  // Not inlined: beside a map and a sink gcc 12 keeps no accumulator in its register.
  [[gnu::noinline]] void group(const std::uint8_t* a, const std::int8_t* b, Ints (*out)[kNv]) const {
    __m512i acc[kGroup][kNv] = {};
    for (Index t = 0; t < some_.count; ++t) {
      const Index q = some_.list == nullptr ? t : some_.list[t];
      __m512i bv[kNv];
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) bv[c] = _mm512_loadu_si512(b + (q * kNv + c) * 64);
#pragma GCC unroll 16
      for (Index r = 0; r < kGroup; ++r) {
        std::int32_t quad;
        __builtin_memcpy(&quad, a + (q * kMr + r) * 4, sizeof(quad));
        const __m512i ar = _mm512_set1_epi32(quad);
#pragma GCC unroll 8
        for (Index c = 0; c < kNv; ++c) acc[r][c] = _mm512_dpbusd_epi32(acc[r][c], ar, bv[c]);
      }
    }
#pragma GCC unroll 16
    for (Index r = 0; r < kGroup; ++r) {
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) out[r][c] = acc[r][c];
    }
  }

  const std::uint8_t* a_;
  const Some some_;
};

// Called only where has_bit_ops(): the rest of this file runs without VPOPCNTDQ.
class BitStrip {
 public:
  BitStrip(const std::uint8_t* a, const Some& some) : a_(a), some_(some) {}

  void products(const std::int8_t* b, Ints (&out)[kMr][kNv]) const {
#pragma GCC unroll 2
    for (Index r = 0; r < kMr; r += kGroup) group(a_ + r * 4, b, out + r);
  }

 private:
  [[gnu::noinline, gnu::target("avx512vpopcntdq")]] void group(const std::uint8_t* a, const std::int8_t* b,
                                                               Ints (*out)[kNv]) const {
    __m512i acc[kGroup][kNv] = {};
    for (Index t = 0; t < some_.count; ++t) {
      const Index q = some_.list == nullptr ? t : some_.list[t];
      __m512i bv[kNv];
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) bv[c] = _mm512_loadu_si512(b + (q * kNv + c) * 64);
#pragma GCC unroll 16
      for (Index r = 0; r < kGroup; ++r) {
        std::int32_t word;
        __builtin_memcpy(&word, a + (q * kMr + r) * 4, sizeof(word));
        const __m512i ar = _mm512_set1_epi32(word);
#pragma GCC unroll 8
        for (Index c = 0; c < kNv; ++c) acc[r][c] = _mm512_add_epi32(acc[r][c], _mm512_popcnt_epi32(_mm512_and_si512(ar, bv[c])));
      }
    }
#pragma GCC unroll 16
    for (Index r = 0; r < kGroup; ++r) {
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) out[r][c] = acc[r][c];
    }
  }

  const std::uint8_t* a_;
  const Some some_;
};
