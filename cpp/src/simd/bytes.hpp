// Exact integer products of points whose features are bytes, on CPUs with AVX512-VNNI or AVX2: more multiply-adds than of float
// in the same time, and no rounding before the map. Panels and strips as in ops.hpp, of "quads" of 4 bytes:
// panel[(q * nr + j) * 4 + t] is byte 4 q + t of point j; points are padded with zeros to whole quads. A byte is a feature, or
// eight features that have two values only: bit b of byte k is feature 8 k + b, and a product is the number of common bits.
#pragma once

#include "simd/ops.hpp"

namespace dcsvm::simd {

/// Values of the grid offset + step * u, u in 0..255.
struct ByteGrid {
  double offset = 0;
  double step = 0;  ///< 0: no grid
  bool exact = false;  ///< values are on it to within the rounding of double, whatever stores them: good for kernels in double
  bool bits = false;   ///< u is 0 or 1, and this CPU multiplies bits
};

/// More features could overflow: 255^2 d < 2^31.
constexpr Index kByteFeatures = 33000;

/// The rows of a tile: m of them in strips of u, with norms |u|^2 and sums of u (bits: 0). The lists of `features` are of quads.
struct ByteStrips {
  const std::uint8_t* at;
  const std::int32_t* norms;
  const std::int32_t* sums;
  Index m;
  StripFeatures features = {};
};

template <class T>
struct ByteTiles {
  /// out[r][j] = map(inner, d2) for r in [0, rows.m), j in [0, n), where inner = scale u.v and d2 = scale |u - v|^2, both
  /// integers exact and rounded once; scale = step^2. Columns (b): v - 128 as signed bytes, or bits, with norms |v|^2. At most
  /// kByteFeatures features.
  void (*tile)(const MapParams<T>& map, T scale, const ByteStrips& rows, const std::int8_t* b, const std::int32_t* b_norms,
               Index n, Index quads, T* const* out);
  /// g[j] += sum_r coef[r] times those, as Ops::tile_sum.
  void (*tile_sum)(const MapParams<T>& map, T scale, const ByteStrips& rows, const T* coef, const std::int8_t* b,
                   const std::int32_t* b_norms, Index n, Index quads, double* g);
};

struct ByteOps {
  Index mr, nr;  ///< strip and panel widths; nr is that of Ops<float>, mr may be larger
  double gain;   ///< products of bytes in the time of one of floats

  /// out[k] = u of x[k]; false when some x[k] is not on the grid to within the rounding of what stores it: 2^-23 of its size (and
  /// the offset's) for values that a float holds, unless the grid is exact, 2^-51 for others, but at most 2^-12 of a step. out is
  /// then clamped, and of no use. NaN is on no grid.
  bool (*quantize)(const ByteGrid& grid, const double* x, Index n, std::uint8_t* out);

  ByteTiles<float> in_float;
  ByteTiles<double> in_double;
  double bit_gain;  ///< products of bits in the time of one of floats
  ByteTiles<float> bits_in_float;
  ByteTiles<double> bits_in_double;
};

template <class T>
const ByteTiles<T>& byte_tiles(const ByteOps& ops, bool bits);
template <>
inline const ByteTiles<float>& byte_tiles(const ByteOps& ops, bool bits) {
  return bits ? ops.bits_in_float : ops.in_float;
}
template <>
inline const ByteTiles<double>& byte_tiles(const ByteOps& ops, bool bits) {
  return bits ? ops.bits_in_double : ops.in_double;
}

/// Null where the instruction set in use has none.
const ByteOps* byte_ops();
/// Whether this CPU runs those of bits. AVX512-VNNI needs VPOPCNTDQ for them.
bool has_bit_ops();

}  // namespace dcsvm::simd
