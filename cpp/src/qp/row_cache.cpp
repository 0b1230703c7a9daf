#include "qp/row_cache.hpp"

#include <algorithm>
#include <cstring>

namespace dcsvm::qp {

namespace {
constexpr Index kFirstRows = 256;
constexpr Index kFirstRowBytes = 64 << 20;
constexpr double kKeepAtOnceWork =
    400.0;  // multiply-adds per value from which a row is kept at its first use (docs/developers/performance.md)
constexpr double kMostPatience = 4.0;
constexpr double kTouchWork = 24.0;        // multiply-adds that cost as much as touching a new value

Index padded(Index n) { return (n + 15) / 16 * 16; }
}  // namespace

template <class T>
RowCache<T>::RowCache(Index n, std::size_t bytes, double work)
    : stride_(padded(n)),
      growth_share_(std::min(1.0, kTouchWork / std::max(work, 1.0))),
      patience_(static_cast<std::uint8_t>(std::min(kMostPatience, kKeepAtOnceWork / std::max(work, 1.0)))) {
  capacity_ = std::min(n, static_cast<Index>(bytes / (static_cast<std::size_t>(stride_) * sizeof(T))));
  storage_ = base::Buffer<T>(capacity_ * stride_);
  limit_ = std::min(capacity_, std::max(kFirstRows, kFirstRowBytes / (stride_ * static_cast<Index>(sizeof(T)))));
  stride_at_peak_ = stride_;
  seen_.assign(n, 0);
  slot_of_.assign(n, kNone);
}

template <class T>
void RowCache<T>::unlink(std::int32_t slot) {
  const auto s = static_cast<std::size_t>(slot);
  (prev_[s] == kNone ? head_ : next_[prev_[s]]) = next_[s];
  (next_[s] == kNone ? tail_ : prev_[next_[s]]) = prev_[s];
}

template <class T>
void RowCache<T>::push_front(std::int32_t slot) {
  const auto s = static_cast<std::size_t>(slot);
  prev_[s] = kNone;
  next_[s] = head_;
  (head_ == kNone ? tail_ : prev_[head_]) = slot;
  head_ = slot;
}

template <class T>
T* RowCache<T>::find(Index position) {
  const std::int32_t slot = slot_of_[position];
  if (slot == kNone) return nullptr;
  if (slot != head_) {
    unlink(slot);
    push_front(slot);
  }
  return at(slot);
}

template <class T>
bool RowCache<T>::worth_keeping(Index position) {
  auto& seen = seen_[position];
  if (seen >= patience_) return true;  // kHeld too
  ++seen;
  return false;
}

template <class T>
void RowCache<T>::note_miss(Index position) {
  auto& seen = seen_[position];
  if (seen == kHeld && static_cast<double>(++returned_) > growth_share_ * static_cast<double>(limit_)) {
    limit_ = std::min(capacity_, limit_ + limit_ / 2);
    returned_ = 0;
  }
  seen = kHeld;
}

template <class T>
T* RowCache<T>::insert(Index position) {
  note_miss(position);
  std::int32_t slot = kNone;
  if (used_ < limit_) {
    slot = static_cast<std::int32_t>(used_++);
    if (used_ > static_cast<Index>(owner_.size())) {
      owner_.push_back(-1);
      prev_.push_back(kNone);
      next_.push_back(kNone);
    }
    if (used_ * stride_ > peak_slots_ * stride_at_peak_) peak_slots_ = used_, stride_at_peak_ = stride_;
  } else {
    slot = tail_;
    unlink(slot);
    slot_of_[owner_[slot]] = kNone;
  }
  owner_[slot] = position;
  slot_of_[position] = slot;
  push_front(slot);
  return at(slot);
}

template <class T>
void RowCache<T>::compact(const std::vector<Index>& keep, base::ThreadPool& pool) {
  const auto m = static_cast<Index>(keep.size());
  std::vector<Index> new_position(slot_of_.size(), -1);
  for (Index p = 0; p < m; ++p) new_position[keep[p]] = p;

  // Rows in order of use, without those of dropped variables.
  std::vector<std::int32_t> order;
  for (std::int32_t s = head_; s != kNone; s = next_[s]) {
    if (new_position[owner_[s]] >= 0) order.push_back(s);
  }
  pool.for_each(static_cast<Index>(order.size()), [&](Index o, int) {
    T* row = at(order[o]);
    for (Index p = 0; p < m; ++p) row[p] = row[keep[p]];
  });

  // Rows move down in memory to the new stride; ascending slots never overwrite one that is still to move.
  std::vector<std::int32_t> by_slot = order;
  std::sort(by_slot.begin(), by_slot.end());
  const Index new_stride = padded(m);
  std::vector<std::int32_t> moved(owner_.size(), kNone);
  std::vector<Index> owners;
  for (std::size_t t = 0; t < by_slot.size(); ++t) {
    const auto from = static_cast<std::size_t>(by_slot[t]);
    std::memmove(storage_.data() + static_cast<Index>(t) * new_stride, at(by_slot[t]), static_cast<std::size_t>(m) * sizeof(T));
    moved[from] = static_cast<std::int32_t>(t);
    owners.push_back(new_position[owner_[from]]);
  }
  stride_ = new_stride;
  capacity_ = std::min(m, storage_.size() / std::max<Index>(1, stride_));
  // The memory touched so far may hold more of the shorter rows.
  limit_ = std::min(capacity_, std::max({kFirstRows, limit_, peak_slots_ * stride_at_peak_ / std::max<Index>(1, stride_)}));
  std::vector<std::uint8_t> seen(m);
  for (Index p = 0; p < m; ++p) seen[p] = seen_[keep[p]];
  seen_ = std::move(seen);
  used_ = static_cast<Index>(owners.size());
  owner_ = std::move(owners);
  prev_.assign(owner_.size(), kNone);
  next_.assign(owner_.size(), kNone);
  head_ = tail_ = kNone;
  for (auto it = order.rbegin(); it != order.rend(); ++it) push_front(moved[*it]);
  slot_of_.assign(m, kNone);
  for (std::size_t s = 0; s < owner_.size(); ++s) slot_of_[owner_[s]] = static_cast<std::int32_t>(s);
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace dcsvm::qp
