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

/// All rows of x as bytes. Points are packed from them many times in a training: that reads an eighth of what rows of double
/// hold, and converts no value again.
class ByteRows {
 public:
  ByteRows() = default;
  /// Throws DataError when a value is not on the grid.
  ByteRows(const DataView& x, const ByteGrid& grid, base::ThreadPool& pool);
  std::size_t bytes() const { return values_.bytes() + norms_.bytes() + sums_.bytes(); }
  /// Bytes that n rows of d features hold.
  static double wanted(double n, Index d, const ByteGrid& grid);
  /// Row i, padded with zeros to whole quads.
  const std::uint8_t* row(Index i) const { return values_.data() + i * length_; }
  std::int32_t norm(Index i) const { return norms_.data()[i]; }
  std::int32_t sum(Index i) const { return sums_.data()[i]; }

 private:
  Index length_ = 0;
  base::Buffer<std::uint8_t> values_;
  base::Buffer<std::int32_t> norms_, sums_;
};

/// The grid that rows are on, and all rows of their data as bytes; null: they are converted when they are needed.
struct OnGrid {
  OnGrid() = default;
  OnGrid(const ByteGrid& on, const ByteRows* rows = nullptr) : grid(on), kept(rows) {}  // NOLINT(google-explicit-constructor)
  ByteGrid grid;
  const ByteRows* kept = nullptr;
};

/// Columns of a tile.
struct BytePoints {
  BytePoints() = default;
  /// Packs rows idx[0..n) of x (idx null: first, first + 1, ...). Throws DataError when a value is not on the grid.
  BytePoints(const DataView& x, const Index* idx, Index first, Index n, const OnGrid& on, base::ThreadPool& pool);

  std::size_t bytes() const;
  /// Bytes that a set of n points of d features will hold.
  static double wanted(double n, Index d, const ByteGrid& grid);
  /// The features of all points: n x d in C order.
  std::vector<float> unpack() const;

  Index n = 0, d = 0;
  ByteGrid grid;
  base::Buffer<std::int8_t> panels;   ///< u - 128, or bits
  base::Buffer<std::int32_t> norms;  ///< sum u^2 of each point
};

/// Rows of a tile.
struct ByteQueries {
  ByteQueries() = default;
  ByteQueries(const DataView& x, const Index* idx, Index first, Index m, const OnGrid& on, Index columns, base::ThreadPool& pool);

  Index m = 0;
  std::vector<Index> off_grid;  ///< rows, counted from 0, with a value off the grid: their kernel values are not valid
  StripPlan plan;
  base::Buffer<std::uint32_t> strips;  ///< quads of bytes
  base::Buffer<std::int32_t> norms, sums;  ///< sum u^2 and sum u (bits: 0), by slot

  simd::ByteStrips view() const {
    return {reinterpret_cast<const std::uint8_t*>(strips.data()), norms.data(), sums.data(), m, plan.features()};
  }
};

/// As kernel_tile and kernel_tile_sum, with rows and coefficients by slot of queries.plan.
/// begin: a multiple of the panels' width, that of Ops<float>.
template <class T>
void byte_tile(const simd::MapParams<T>& map, const ByteQueries& queries, const BytePoints& points, Index begin, Index end,
               T* const* out);
template <class T>
void byte_tile_sum(const simd::MapParams<T>& map, const ByteQueries& queries, const BytePoints& points, Index begin, Index end,
                   const T* coef, double* out);

}  // namespace dcsvm::kernels
