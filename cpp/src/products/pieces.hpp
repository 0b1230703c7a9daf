// How work on rows and vectors is cut: one number for each kind. Sums are formed piece by piece and added in order, so that they
// have the same bits for any number of threads; other numbers here change their last bits.
#pragma once

#include <algorithm>

#include "dcsvm/data.hpp"
#include "simd/lanes.hpp"

namespace dcsvm::products {

inline constexpr Index kRowPiece = 1024;  ///< rows of one piece: tens of microseconds where a row is a few numbers
inline constexpr Index kLinePiece = 256;  ///< rows or columns whose values are read, which may be many
inline constexpr Index kEntryPiece = Index{1} << 15;  ///< entries of vectors, or stored values
inline constexpr Index kOnStack = 256;                ///< numbers that are prepared at a time, in the first cache
inline constexpr Index kTogether = 32;  ///< rows multiplied before they are added, while they are in the first cache
inline constexpr Index kRowsAhead = 2;  ///< prefetched, and what their addresses are read from 4 times as far
inline constexpr Index kCacheLine = 64;  ///< bytes; 128 of Apple's, two of these
inline constexpr Index kSums = 4;  ///< side by side for one sum: they hide the latency of an addition

/// Blocks of lines that have sums of their own, with so many entries each.
inline constexpr double kValuesOfSum = 16;  ///< of a block, for each of its sums: clearing and adding them up then costs little
inline constexpr double kValuesOfLaneSum = 4;  ///< likewise: lanes have values in float, and few entries
inline constexpr double kMostSums = 32;  ///< blocks: more threads than that wait for memory anyway
inline Index sum_blocks(double values, Index entries, double values_of_sum) {
  return static_cast<Index>(
      std::clamp(values / (values_of_sum * static_cast<double>(std::max<Index>(1, entries))), 1.0, kMostSums));
}

/// Entries side by side for so many vectors, those beyond them are 0: few, or whole cache lines of W.
template <class W>
constexpr Index lane_width(Index vectors) {
  constexpr Index kLine = kCacheLine / static_cast<Index>(sizeof(W));
  return vectors <= simd::kLeastLanes ? simd::kLeastLanes : (vectors + kLine - 1) / kLine * kLine;
}

}  // namespace dcsvm::products
