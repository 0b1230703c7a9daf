// The byte products (bytes.hpp) for AVX-512 with VNNI: 24 accumulators, 3 columns, 1 broadcast, as in avx512.cpp. The rules for
// per-ISA sources hold (ops_impl.hpp).
#define DCSVM_VECTOR_BYTES 64
#define DCSVM_TILE_ROWS 8
#define DCSVM_TILE_VECTORS 3

#include "simd/bytes.hpp"
#include "simd/ops_impl.hpp"

namespace dcsvm::simd {
namespace {

inline __m512i load_ints(const void* p) { return _mm512_loadu_si512(p); }

bool quantize(const ByteGrid& grid, const double* x, Index n, std::uint8_t* out) {
  const __m512d offset = _mm512_set1_pd(grid.offset), step = _mm512_set1_pd(grid.step), inverse = _mm512_set1_pd(1.0 / grid.step);
  const __m512d zero = _mm512_setzero_pd(), last = _mm512_set1_pd(255.0), room = _mm512_abs_pd(offset);
  const __m512d as_float = _mm512_set1_pd(0x1.0p-23), as_double = _mm512_set1_pd(0x1.0p-51);
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

// u.(v - 128) -> kernel values. Integers wrap around on the way to d2, whose true value fits.
template <Map kMap>
inline V<float> finish(const MapParams<float>& map, float scale, __m512i inner, std::int32_t row_norm, std::int32_t row_sum,
                       __m512i norms) {
  if constexpr (kMap == Map::rbf) {
    const auto of_row =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(row_norm) - 256U * static_cast<std::uint32_t>(row_sum));
    inner = _mm512_sub_epi32(_mm512_add_epi32(norms, _mm512_set1_epi32(of_row)), _mm512_slli_epi32(inner, 1));
  } else {
    inner = _mm512_add_epi32(inner, _mm512_set1_epi32(128 * row_sum));
  }
  const auto value = static_cast<V<float>>(_mm512_cvtepi32_ps(inner)) * scale;
  if constexpr (kMap == Map::linear) {
    return value;
  } else if constexpr (kMap == Map::poly) {
    return power<float>(value * map.gamma + map.coef0, map.degree);
  } else if constexpr (kMap == Map::sigmoid) {
    return tanh_v<float>(value * map.gamma + map.coef0);
  } else {
    return rbf_v(value, map.gamma);
  }
}

// Products of a strip and a panel. Not inlined: beside a map and a sink gcc 12 keeps no accumulator in its register.
[[gnu::noinline]] void byte_products(const std::uint8_t* a, const std::int8_t* b, const Some& some, __m512i (&out)[kMr][kNv]) {
  __m512i acc[kMr][kNv] = {};
  for (Index t = 0; t < some.count; ++t) {
    const Index q = some.list == nullptr ? t : some.list[t];
    __m512i bv[kNv];
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) bv[c] = load_ints(b + (q * kNv + c) * 64);
#pragma GCC unroll 16
    for (Index r = 0; r < kMr; ++r) {
      std::int32_t quad;
      __builtin_memcpy(&quad, a + (q * kMr + r) * 4, sizeof(quad));
      const __m512i ar = _mm512_set1_epi32(quad);
#pragma GCC unroll 8
      for (Index c = 0; c < kNv; ++c) acc[r][c] = _mm512_dpbusd_epi32(acc[r][c], ar, bv[c]);
    }
  }
#pragma GCC unroll 16
  for (Index r = 0; r < kMr; ++r) {
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) out[r][c] = acc[r][c];
  }
}

// Rows [r0, r0 + m), m <= mr, against columns [j, j + n) of one panel.
template <Map kMap, class Sink>
inline void byte_micro(const MapParams<float>& map, float scale, const ByteStrips& rows, Index r0, Index m, const std::int8_t* b,
                       const std::int32_t* b_norms, Index j, Index n, Index quads, Sink& sink) {
  const std::uint8_t* a = rows.at + r0 * quads * 4;
  const Some some = features_of(rows.features, r0 / kMr, quads);
  __m512i acc[kMr][kNv];
  byte_products(a, b, some, acc);
#pragma GCC unroll 16
  for (Index r = 0; r < kMr; ++r) {
    if (r >= m) break;
    V<float> values[kNv];
#pragma GCC unroll 8
    for (Index c = 0; c < kNv; ++c) {
      values[c] = finish<kMap>(map, scale, acc[r][c], rows.norms[r0 + r], rows.sums[r0 + r], load_ints(b_norms + c * 16));
    }
    sink.row(r0 + r, j, n, values);
  }
  sink.done(j, n);
}

template <Map kMap, class Sink>
void byte_tile_as(const MapParams<float>& given, float scale, const ByteStrips& rows, const std::int8_t* b,
                  const std::int32_t* b_norms, Index n, Index quads, Sink sink) {
  constexpr Index nr = kNr<float>;
  const MapParams<float> map = given;  // a copy that no store can reach
  for (Index r = 0; r < rows.m; r += kMr) {
    const Index mm = rows.m - r < kMr ? rows.m - r : kMr;
    for (Index j = 0; j < n; j += nr) {
      const Index nn = n - j < nr ? n - j : nr;
      byte_micro<kMap>(map, scale, rows, r, mm, b + j * quads * 4, b_norms + j, j, nn, quads, sink);
    }
  }
}

template <class Sink>
void any_byte_tile(const MapParams<float>& map, float scale, const ByteStrips& rows, const std::int8_t* b,
                   const std::int32_t* b_norms, Index n, Index quads, const Sink& sink) {
  switch (map.kind) {
    case Map::linear: return byte_tile_as<Map::linear>(map, scale, rows, b, b_norms, n, quads, sink);
    case Map::poly: return byte_tile_as<Map::poly>(map, scale, rows, b, b_norms, n, quads, sink);
    case Map::rbf: return byte_tile_as<Map::rbf>(map, scale, rows, b, b_norms, n, quads, sink);
    case Map::sigmoid: return byte_tile_as<Map::sigmoid>(map, scale, rows, b, b_norms, n, quads, sink);
  }
}

void byte_tile(const MapParams<float>& map, float scale, const ByteStrips& rows, const std::int8_t* b,
               const std::int32_t* b_norms, Index n, Index quads, float* const* out) {
  any_byte_tile(map, scale, rows, b, b_norms, n, quads, Stored<float>{out});
}
void byte_tile_sum(const MapParams<float>& map, float scale, const ByteStrips& rows, const float* coef, const std::int8_t* b,
                   const std::int32_t* b_norms, Index n, Index quads, double* g) {
  any_byte_tile(map, scale, rows, b, b_norms, n, quads, Summed<float>{coef, g});
}

}  // namespace

extern const ByteOps avx512vnni_bytes;
const ByteOps avx512vnni_bytes = {kMr, kNr<float>, quantize, byte_tile, byte_tile_sum};

}  // namespace dcsvm::simd
