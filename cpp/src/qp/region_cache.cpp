#include "qp/region_cache.hpp"

#include <algorithm>
#include <limits>

namespace dcsvm::qp {

namespace {
constexpr std::size_t kFirstRegionBytes = std::size_t{256} << 20;
}

template <class T>
RegionCache<T>::RegionCache(Index n, Index region, std::size_t bytes)
    : region_size_(region), n_regions_((n + region - 1) / region) {
  const std::size_t unit = static_cast<std::size_t>(region) * sizeof(T) + kEntry;
  total_ =
      static_cast<Index>(std::min<std::size_t>({bytes / unit, static_cast<std::size_t>(n) * static_cast<std::size_t>(n_regions_),
                                                std::numeric_limits<std::int32_t>::max()}));
  storage_ = base::Buffer<T>(total_ * region_size_);
  limit_ = std::min(total_, std::max(n_regions_, static_cast<Index>(kFirstRegionBytes / unit)));
  slot_of_.assign(n, kNone);
  seen_.assign(n, 0);
}

template <class T>
std::size_t RegionCache<T>::peak_bytes() const {
  return static_cast<std::size_t>(peak_) * (static_cast<std::size_t>(region_size_) * sizeof(T) + kEntry);
}

template <class T>
void RegionCache<T>::unlink(std::int32_t slot) {
  const Slot& s = at(slot);
  (s.previous == kNone ? head_ : at(s.previous).next) = s.next;
  (s.next == kNone ? tail_ : at(s.next).previous) = s.previous;
}

template <class T>
void RegionCache<T>::push_front(std::int32_t slot) {
  Slot& s = at(slot);
  s.previous = kNone;
  s.next = head_;
  (head_ == kNone ? tail_ : at(head_).previous) = slot;
  head_ = slot;
}

template <class T>
std::int32_t RegionCache<T>::find(Index position) {
  const std::int32_t slot = slot_of_[position];
  if (slot != kNone && slot != head_) {
    unlink(slot);
    push_front(slot);
  }
  return slot;
}

template <class T>
std::int32_t RegionCache<T>::insert(Index position) {
  std::int32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<std::int32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  at(slot).owner = position;
  slot_of_[position] = slot;
  push_front(slot);
  return slot;
}

template <class T>
void RegionCache<T>::evict(std::int32_t slot) {
  Slot& s = at(slot);
  free_units_.insert(free_units_.end(), s.row.units.rbegin(), s.row.units.rend());
  s.row.units.clear();
  s.row.regions.clear();
  slot_of_[s.owner] = kNone;
  seen_[s.owner] = 1;
  unlink(slot);
  free_slots_.push_back(slot);
}

template <class T>
bool RegionCache<T>::make_room(Index units) {
  if (units > total_) return false;
  limit_ = std::max(limit_, units);
  return true;
}

template <class T>
void RegionCache<T>::give(std::int32_t slot, std::vector<std::int32_t> regions) {
  Row& row = at(slot).row;
  if (seen_[at(slot).owner] != 0) returned_ += static_cast<Index>(regions.size());
  if (returned_ > limit_ / 4) {
    limit_ = std::min(total_, limit_ + limit_ / 2);
    returned_ = 0;
  }
  row.regions = std::move(regions);
  row.units.reserve(row.regions.size());
  while (row.units.size() < row.regions.size()) {
    if (used_ < limit_) {
      row.units.push_back(static_cast<std::int32_t>(used_++));
    } else if (!free_units_.empty()) {
      row.units.push_back(free_units_.back());
      free_units_.pop_back();
    } else {
      evict(tail_);
    }
  }
  peak_ = std::max(peak_, used_);
}

template <class T>
void RegionCache<T>::restart(Index n) {
  n_regions_ = (n + region_size_ - 1) / region_size_;
  used_ = returned_ = 0;
  limit_ = std::max(limit_, n_regions_);
  free_units_.clear();
  free_slots_.clear();
  slots_.clear();
  slot_of_.assign(n, kNone);
  seen_.assign(n, 0);
  head_ = tail_ = kNone;
}

template class RegionCache<float>;
template class RegionCache<double>;

}  // namespace dcsvm::qp
