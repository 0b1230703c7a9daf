// Which rows of a tile share a strip, and which of their features must be multiplied. Images, counts and one-hot columns are
// mostly zeros; a strip of rows with zeros in the same places skips these features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernels {

using simd::Index;

/// Interleaves m rows, row_of(r) for r in [0, m), into a group of `width`: out[k * width + r], zero where r >= m.
template <class T, class RowOf>
void interleave(Index m, Index d, Index width, T* out, RowOf&& row_of) {
  if (m < width) std::fill(out, out + width * d, T(0));
  for (Index r = 0; r < m; ++r) {
    const T* row = row_of(r);
    for (Index k = 0; k < d; ++k) out[k * width + r] = row[k];
  }
}

/// How many points of so many bytes one piece of a packing loop takes: whole groups of `width`, and so few that many threads have
/// something to do.
inline Index packed_at_once(Index width, Index bytes) {
  constexpr Index kBytes = 8192;
  return width * std::max<Index>(1, kBytes / (width * std::max<Index>(1, bytes)));
}

/// A unit is what a micro-kernel multiplies at a time: a feature (float, double), or a quad of bytes (std::uint32_t).
class StripPlan {
 public:
  StripPlan() = default;
  /// For rows of `units` units in strips of `width` that are multiplied with `columns` points. 0: rows keep their order; few
  /// columns do not justify the careful order.
  StripPlan(Index units, Index width, Index columns)
      : units_(units), width_(width), ordered_(columns > 0), careful_(columns >= kCarefulFrom) {}

  /// Packs m rows. read(begin, end, rows): puts rows [begin, end) there, one after another. A strip has strips[slot * units +
  /// k * width + r], zero where there is no row; done(begin, end): the strip of these slots is there. Both are called by several
  /// threads.
  template <class U>
  void pack(Index m, U* strips, base::ThreadPool& pool, const std::function<void(Index, Index, U*)>& read,
            const std::function<void(Index, Index)>& done);

  /// The row in a slot, and the reverse.
  Index row(Index slot) const { return row_[slot]; }
  Index slot(Index row) const { return slot_[row]; }
  Index size() const { return static_cast<Index>(row_.size()); }
  simd::StripFeatures features() const {
    return full_ ? simd::StripFeatures{} : simd::StripFeatures{list_.data(), count_.data()};
  }

 private:
  static constexpr Index kWindows = 8;
  static constexpr Index kCarefulFrom = 8192;
  Index window() const { return 8 * width_; }
  void order(Index first, Index m, const std::uint64_t* places, base::ThreadPool& pool);
  template <class U>
  void note(Index number, const U* strip);
  void finish();
  void choose(Index* row, std::uint64_t* places, Index n) const;

  Index units_ = 0, width_ = 1;
  bool ordered_ = false, careful_ = false;
  std::vector<Index> row_, slot_;
  std::vector<std::int32_t> count_;
  base::Buffer<std::int32_t> list_;  // of strips that lack units; of all where one lacks some
  bool full_ = true;  // every strip has every unit
};

}  // namespace dcsvm::kernels
