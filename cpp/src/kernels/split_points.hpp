// Float rows of which each feature is split into three bf16 numbers, packed for tiles (simd/split.hpp).
#pragma once

#include <cstdint>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "simd/split.hpp"

namespace dcsvm::kernels {

using simd::Index;
using simd::SplitOps;

/// Columns of a tile.
struct SplitPoints {
  SplitPoints() = default;
  /// Packs rows idx[0..n) of x (idx null: first, first + 1, ...), less `shift` (null: none).
  SplitPoints(const SplitOps& ops, const DataView& x, const Index* idx, Index first, Index n, const double* shift,
              base::ThreadPool& pool);

  std::size_t bytes() const { return panels.bytes() + norms.bytes(); }
  /// Bytes that a set of n points of d features will hold.
  static double wanted(double n, Index d);

  const SplitOps* ops = nullptr;  ///< that packed them and multiply them
  Index blocks = 0;
  base::Buffer<std::uint32_t> panels;
  base::Buffer<float> norms;  ///< |x|^2 of each point
};

/// Rows of a tile, in the order in which they are given.
struct SplitQueries {
  SplitQueries() = default;
  SplitQueries(const SplitOps& ops, const DataView& x, const Index* idx, Index first, Index m, const double* shift,
               base::ThreadPool& pool);

  simd::SplitStrips view() const { return {strips.data(), norms.data(), m}; }

  Index m = 0;
  base::Buffer<std::uint32_t> strips;
  base::Buffer<float> norms;
};

/// As kernel_tile and kernel_tile_sum, of queries that the points' ops packed. begin: a multiple of the panels' width.
void split_tile(const simd::MapParams<float>& map, const SplitQueries& queries, const SplitPoints& points, Index begin, Index end,
                float* const* out);
void split_tile_sum(const simd::MapParams<float>& map, const SplitQueries& queries, const SplitPoints& points, Index begin,
                    Index end, const float* coef, double* out);

}  // namespace dcsvm::kernels
