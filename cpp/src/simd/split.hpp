// Tiles of kernel values of rows whose features are split into three bf16 numbers (sign, 8 bits of exponent, 8 of the
// significand): high = bf16(x), middle = bf16(x - high), low = x - high - middle. Let 2^e <= |x| < 2^(e + 1). Then |x - high| <=
// 2^(e - 8) and |x - high - middle| <= 2^(e - 17), a multiple of 2^(e - 23), which bf16 holds: nothing is lost. Of the nine
// products of the parts of x and y six are added up in float; middle low, low middle and low low are left out. They come to at
// most 2^-24 (1 + 2^-9) |x y|, about as much as the rounding of one product.
//
// Features are packed in pairs: the first of two in the lower half of a word. A block is 32 features, or 16 words; the last one
// is filled up with zeros. A strip is mr rows, a panel nr columns, block after block:
//   strip    16 words of each row: high[mr][16], then middle and low
//   panel    16 rows of words, one for each column: high[16][nr], then middle and low
#pragma once

#include "simd/ops.hpp"

namespace dcsvm::simd {

constexpr Index kSplitWords = 16;  ///< of a block, for each of its points and parts
constexpr Index kSplitFeatures = 2 * kSplitWords;
constexpr Index kSplitParts = 3;
constexpr Index kSplitBlock = kSplitParts * kSplitWords;  ///< words of a point

/// The rows of a tile: m of them in strips that follow each other, with norms |x|^2.
struct SplitStrips {
  const std::uint32_t* at;
  const float* norms;
  Index m;
};

struct SplitOps {
  Index mr, nr;  ///< strip and panel widths; nr is that of Ops<float>
  double gain;   ///< such products in the time of one of floats

  /// out[r][j] = map(<row r, column j>) for r in [0, rows.m), j in [0, n); map: of a squared distance, near_below 0. Of 32
  /// features each kind of products is summed in two halves, by fused operations to nearest even, before it joins a sum; numbers
  /// below 2^-126 count as 0. Rows and columns may change places: the bits are the same.
  void (*tile)(const MapParams<float>& map, const SplitStrips& rows, const std::uint32_t* b, const float* b_norms, Index n,
               Index blocks, float* const* out);
  /// g[j] += sum_r coef[r] times those, as Ops::tile_sum.
  void (*tile_sum)(const MapParams<float>& map, const SplitStrips& rows, const float* coef, const std::uint32_t* b,
                   const float* b_norms, Index n, Index blocks, double* g);
};

/// Null where this CPU has none.
const SplitOps* split_ops();

}  // namespace dcsvm::simd
