// Least-recently-used cache of kernel rows that are mostly negligible: a row keeps only the regions of columns
// (kernel_matrix::Columns::region_size()) that count, each in a unit of one region of values. Under a byte cap; memory is touched
// when units are first used, and more of the cap is used only when evicted rows are requested again (see row_cache.hpp).
// Keys are active positions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::qp {

template <class T>
class RegionCache {
 public:
  /// The regions that a row has, ascending, and the unit of each.
  struct Row {
    std::vector<std::int32_t> regions, units;
  };

  /// Rows of n values in regions of `region`, at most `bytes` in all (at least one full row).
  RegionCache(Index n, Index region, std::size_t bytes);

  Index region_size() const { return region_size_; }
  Index n_regions() const { return n_regions_; }
  /// Slot of the row at `position`, or -1. Marks it as just used.
  std::int32_t find(Index position);
  /// A slot for the row at `position` (not present) with no regions yet.
  std::int32_t insert(Index position);
  const Row& row(std::int32_t slot) const { return slots_[slot].row; }
  T* unit(std::int32_t u) { return storage_.data() + u * region_size_; }
  const T* unit(std::int32_t u) const { return storage_.data() + u * region_size_; }
  /// Whether rows with `units` regions in all can be held together.
  bool make_room(Index units);
  /// Gives a new row its regions (ascending) with a unit each, evicting the rows used longest ago when no unit is free: never one
  /// of the rows just used, as long as together they fit (make_room).
  void give(std::int32_t slot, std::vector<std::int32_t> regions);
  /// Forgets all rows; from now on there are n columns, fewer than before. Recomputing a row costs about as much as moving it.
  void restart(Index n);
  /// Most bytes that it may hold, and bytes touched so far.
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

  Index region_size_, n_regions_, total_ = 0, limit_ = 0;
  Index used_ = 0;  // units [0, used_) were handed out since the last restart
  Index peak_ = 0;  // and at any time
  Index returned_ = 0;  // evicted units asked for again since the limit last grew
  base::Buffer<T> storage_;
  std::vector<std::int32_t> free_units_, free_slots_;
  std::vector<Slot> slots_;
  std::vector<std::int32_t> slot_of_;  // by position
  std::vector<std::uint8_t> seen_;  // by position: was here before
  std::int32_t head_ = kNone, tail_ = kNone;
};

}  // namespace dcsvm::qp
