// F1: points whose features are bytes, x = offset + step u with u in 0..255: images, counts, 0/1 data. Their products are exact
// integers (simd/bytes.hpp). The offset, the same for all features, drops out of differences, so only the rbf kernel may have
// one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "kernels/strip_plan.hpp"
#include "simd/bytes.hpp"

namespace dcsvm::kernels {

using simd::ByteGrid;

/// The grid that holds rows idx[0..n) of x (idx null: the first n rows), or step 0: there is none, or this CPU has no byte
/// products, or products could overflow, or x is too sparse for them. Reads x once (twice when 256 sampled rows mislead), or up
/// to the 257th distinct value; the same for any number of threads. Integers get step 1, multiples of 1/255 up to 1 that step;
/// else the largest of max / 1 .. max / 255.
ByteGrid find_byte_grid(const DataView& x, const Index* idx, Index n, bool rbf, base::ThreadPool& pool);

/// Columns of a tile.
struct BytePoints {
  BytePoints() = default;
  /// Packs rows idx[0..n) of x (idx null: first, first + 1, ...). Throws DataError when a value is not on the grid.
  BytePoints(const DataView& x, const Index* idx, Index first, Index n, const ByteGrid& grid, base::ThreadPool& pool);

  std::size_t bytes() const;
  /// What a set of n points of d features will hold.
  static double wanted(double n, Index d);
  /// The features of all points: n x d in C order.
  std::vector<float> unpack() const;

  Index n = 0, d = 0;
  ByteGrid grid;
  base::Buffer<std::int8_t> panels;   ///< u - 128
  base::Buffer<std::int32_t> norms;  ///< sum u^2 of each point
};

/// Rows of a tile.
struct ByteQueries {
  ByteQueries() = default;
  ByteQueries(const DataView& x, const Index* idx, Index first, Index m, const ByteGrid& grid, Index columns);

  Index m = 0;
  std::vector<Index> misfits;  ///< rows, counted from 0, with a value off the grid: their kernel values mean nothing
  StripPlan plan;
  base::Buffer<std::uint8_t> strips;
  base::Buffer<std::int32_t> norms, sums;  ///< sum u^2 and sum u, by slot

  simd::ByteStrips view() const { return {strips.data(), norms.data(), sums.data(), m, plan.features()}; }
};

/// As kernel_tile and kernel_tile_sum, with rows and coefficients by slot of queries.plan.
void byte_tile(const simd::MapParams<float>& map, const ByteQueries& queries, const BytePoints& points, Index begin, Index end,
               float* const* out);
void byte_tile_sum(const simd::MapParams<float>& map, const ByteQueries& queries, const BytePoints& points, Index begin,
                   Index end, const float* coef, double* out);

}  // namespace dcsvm::kernels
