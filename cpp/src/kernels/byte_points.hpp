// Points on a byte grid (data/byte_grid.hpp), packed for tiles: products of their features are exact integers (simd/bytes.hpp).
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

/// The smallest multiple of unit that is not below n.
inline Index round_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

/// Columns of a tile.
struct BytePoints {
  BytePoints() = default;
  /// Packs rows idx[0..n) of x (idx null: first, first + 1, ...). Throws DataError when a value is not on the grid.
  BytePoints(const DataView& x, const Index* idx, Index first, Index n, const ByteGrid& grid, base::ThreadPool& pool);

  std::size_t bytes() const;
  /// Bytes that a set of n points of d features will hold.
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
  std::vector<Index> off_grid;  ///< rows, counted from 0, with a value off the grid: their kernel values are not valid
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
