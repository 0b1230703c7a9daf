// Least-recently-used cache of unsigned kernel rows over the active columns, under a byte cap. Keys are active positions.
// Touching new memory costs more than computing the values of cheap rows, so the cache starts small and grows towards its cap
// only when rows that it evicted are asked for again.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"

namespace dcsvm::qp {

template <class T>
class RowCache {
 public:
  /// Rows of n values in at most `bytes`; memory is touched only as rows arrive. `work`: multiply-adds per kernel value (about
  /// the number of features); the more they cost, the sooner the cache grows.
  RowCache(Index n, std::size_t bytes, double work);

  /// Rows that fit at the moment.
  Index capacity() const { return limit_; }
  /// The row at `position`, or null. Marks it as just used.
  T* find(Index position);
  /// Whether the row at `position` (not present) is worth keeping: costly rows always, cheap ones only after several requests,
  /// the cheaper the more. Most rows are used once or twice, and new memory costs more than recomputing a cheap row.
  bool worth_keeping(Index position);
  /// Room for the row at `position` (not present), evicting the least recently used.
  T* insert(Index position);
  /// Keeps positions keep[0..m) (ascending) as 0..m-1, both as keys and as columns.
  void compact(const std::vector<Index>& keep, base::ThreadPool& pool);
  /// Most bytes that it may hold.
  std::size_t bytes() const { return storage_.bytes(); }
  /// Bytes touched so far.
  std::size_t peak_bytes() const { return static_cast<std::size_t>(peak_slots_ * stride_at_peak_) * sizeof(T); }

 private:
  static constexpr std::int32_t kNone = -1;
  void unlink(std::int32_t slot);
  void push_front(std::int32_t slot);
  T* at(std::int32_t slot) { return storage_.data() + slot * stride_; }

  void note_miss(Index position);

  Index stride_ = 0, capacity_ = 0, limit_ = 0, used_ = 0, peak_slots_ = 0, stride_at_peak_ = 0;
  double growth_share_ = 1.0;           // evicted rows asked for again, as a share of limit_, before it grows
  std::uint8_t patience_ = 0;           // requests for a row before it is kept
  Index returned_ = 0;                  // such rows since it last grew
  static constexpr std::uint8_t kHeld = 255;
  std::vector<std::uint8_t> seen_;      // by position: requests so far, or kHeld
  base::Buffer<T> storage_;
  std::vector<std::int32_t> slot_of_;   // by position
  std::vector<Index> owner_;            // by slot; -1: empty
  std::vector<std::int32_t> prev_, next_;
  std::int32_t head_ = kNone, tail_ = kNone;
};

}  // namespace dcsvm::qp
