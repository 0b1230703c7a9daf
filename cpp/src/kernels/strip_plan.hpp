// Which rows of a tile share a strip, and which of their features must be multiplied. Images, counts and one-hot columns are
// mostly zeros; a strip of rows with zeros in the same places skips these features.
#pragma once

#include <cstdint>
#include <vector>

#include "simd/ops.hpp"

namespace dcsvm::kernels {

using simd::Index;

/// A unit is what a micro-kernel multiplies at a time: a feature (float, double), or a quad of bytes (std::uint32_t).
class StripPlan {
 public:
  StripPlan() = default;
  /// For rows of `units` units in strips of `width` that are multiplied with `columns` points. 0: rows keep their order; few
  /// columns do not justify the careful order.
  StripPlan(Index units, Index width, Index columns)
      : units_(units), width_(width), ordered_(columns > 0), careful_(columns >= kCarefulFrom) {}

  /// Rows that are ordered together; all but the last append() have this many.
  Index block() const { return kWindows * window(); }
  /// Assigns slots to the next m rows: rows[r * units + k], m <= block().
  template <class U>
  void append(const U* rows, Index m);
  /// Records the non-zero units of the next strip: strip[k * width + r].
  template <class U>
  void note(const U* strip);

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
  void choose(Index* row, std::uint64_t* places, Index n) const;

  Index units_ = 0, width_ = 1;
  bool ordered_ = false, careful_ = false;
  std::vector<Index> row_, slot_;
  std::vector<std::int32_t> list_, count_;  // list_ is empty while full_
  bool full_ = true;  // every strip has every unit
};

}  // namespace dcsvm::kernels
