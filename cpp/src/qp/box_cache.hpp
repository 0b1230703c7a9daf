// Least-recently-used cache of kernel rows that are mostly negligible: a row keeps only the boxes of columns
// (kernel_matrix::Columns::box()) that count, each in a unit of one box of values. Under a byte cap; memory is touched as units
// are first used, and the part of the cap in use grows only as evicted rows are asked for again (see row_cache.hpp). Keys are
// active positions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::qp {

template <class T>
class BoxCache {
 public:
  /// The boxes that a row has, ascending, and the unit of each.
  struct Row {
    std::vector<std::int32_t> boxes, units;
  };

  /// Rows of n values in boxes of `box`, at most `bytes` in all (at least one full row).
  BoxCache(Index n, Index box, std::size_t bytes);

  Index box() const { return box_; }
  Index n_boxes() const { return n_boxes_; }
  /// Slot of the row at `position`, or -1. Marks it as just used.
  std::int32_t find(Index position);
  /// A slot for the row at `position` (not present) with no boxes yet.
  std::int32_t insert(Index position);
  const Row& row(std::int32_t slot) const { return slots_[slot].row; }
  T* unit(std::int32_t u) { return storage_.data() + u * box_; }
  const T* unit(std::int32_t u) const { return storage_.data() + u * box_; }
  /// Whether rows with `units` boxes in all can be held together.
  bool make_room(Index units);
  /// Gives a new row its boxes (ascending) with a unit each, evicting the rows used longest ago when no unit is free: never one
  /// of the rows just used, as long as together they fit (make_room).
  void give(std::int32_t slot, std::vector<std::int32_t> boxes);
  /// Forgets all rows: n columns from now on, fewer than before. To compute a row anew costs about what it costs to move.
  void restart(Index n);
  /// Bytes that it may come to hold, and bytes touched so far.
  std::size_t bytes() const { return storage_.bytes() + static_cast<std::size_t>(total_) * kEntry; }
  std::size_t peak_bytes() const;

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr std::size_t kEntry = 2 * sizeof(std::int32_t);  // of a Row, per unit
  struct Slot {
    Row row;
    Index owner = -1;
    std::int32_t previous = kNone, next = kNone;
  };
  Slot& at(std::int32_t slot) { return slots_[slot]; }
  void unlink(std::int32_t slot);
  void push_front(std::int32_t slot);
  void evict(std::int32_t slot);

  Index box_, n_boxes_, total_ = 0, limit_ = 0;
  Index used_ = 0;       // units [0, used_) were handed out since the last restart
  Index peak_ = 0;       // and at any time
  Index returned_ = 0;   // evicted units asked for again since the limit last grew
  base::Buffer<T> storage_;
  std::vector<std::int32_t> free_units_, free_slots_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> slot_of_;  // by position
  std::vector<std::uint8_t> seen_;     // by position: was here before
  std::int32_t head_ = kNone, tail_ = kNone;
};

}  // namespace dcsvm::qp
