#include "kernels/strip_plan.hpp"

#include <algorithm>
#include <bitset>
#include <numeric>
#include <utility>

namespace dcsvm::kernels {

namespace {

std::size_t ones(std::uint64_t word) { return std::bitset<64>(word).count(); }

// Bit b: the row has a unit of the b-th of 64 stretches.
template <class U>
std::uint64_t places_of(const U* row, Index units) {
  const Index stretches = 64, of = std::max(units, stretches);
  std::uint64_t places = 0;
  for (Index b = 0; b < std::min(units, stretches); ++b) {
    const Index begin = (b * of + stretches - 1) / stretches, end = ((b + 1) * of + stretches - 1) / stretches;
    if (std::any_of(row + begin, row + end, [](U u) { return u != U(0); })) places |= std::uint64_t{1} << b;
  }
  return places;
}

}  // namespace

// Rows are sorted by the places of their non-zeros, which groups equal one-hot rows. The careful order sorts by the number of
// places, then fills each strip greedily with the rows of a window that add the fewest places. On images of digits (81 % zeros) a
// strip of 8 then multiplies 46 % of the quads (random rows: 56 %; all rows as one window: 43 %). Cost: 0.2 microseconds a row.
template <class U>
void StripPlan::append(const U* rows, Index m) {
  const Index first = size();
  row_.resize(first + m);
  slot_.resize(first + m);
  std::iota(row_.begin() + first, row_.end(), first);
  if (ordered_ && m > width_) {
    std::vector<std::uint64_t> places(m);
    for (Index r = 0; r < m; ++r) places[r] = places_of(rows + r * units_, units_);
    const auto key = [&](Index row) {
      const std::uint64_t p = places[row - first];
      return careful_ ? static_cast<std::uint64_t>(ones(p)) : p;
    };
    std::stable_sort(row_.begin() + first, row_.end(), [&](Index a, Index b) { return key(a) < key(b); });
    if (careful_) {
      std::vector<std::uint64_t> by_slot(m);
      for (Index s = 0; s < m; ++s) by_slot[s] = places[row_[first + s] - first];
      for (Index s = 0; s < m; s += window()) choose(&row_[first + s], &by_slot[s], std::min(window(), m - s));
    }
  }
  for (Index s = first; s < first + m; ++s) slot_[row_[s]] = s;
}

// Orders one window of n rows with these places.
void StripPlan::choose(Index* row, std::uint64_t* places, Index n) const {
  for (Index from = 0; from < n; from += width_) {
    std::uint64_t strip = places[from];
    for (Index s = from + 1; s < std::min(n, from + width_); ++s) {
      Index best = s;
      std::size_t fewest = 65;
      for (Index t = s; t < n && fewest > 0; ++t) {
        const std::size_t added = ones(places[t] & ~strip);
        if (added < fewest) fewest = added, best = t;
      }
      std::swap(row[s], row[best]);
      std::swap(places[s], places[best]);
      strip |= places[s];
    }
  }
}

template <class U>
void StripPlan::note(const U* strip) {
  const auto has = [&](Index k) {
    const U* rows = strip + k * width_;
    return std::any_of(rows, rows + width_, [](U u) { return u != U(0); });
  };
  Index first_without = 0;
  while (first_without < units_ && has(first_without)) ++first_without;
  if (full_ && first_without == units_) {
    count_.push_back(static_cast<std::int32_t>(units_));
    return;
  }
  if (full_) {  // the strips so far have every unit
    list_.resize(count_.size() * static_cast<std::size_t>(units_));
    for (std::size_t t = 0; t < list_.size(); ++t) list_[t] = static_cast<std::int32_t>(t % static_cast<std::size_t>(units_));
    full_ = false;
  }
  const std::size_t from = list_.size();
  list_.resize(from + static_cast<std::size_t>(units_));
  std::int32_t count = 0;
  for (Index k = 0; k < units_; ++k) {
    list_[from + static_cast<std::size_t>(count)] = static_cast<std::int32_t>(k);
    count += k < first_without || has(k) ? 1 : 0;
  }
  count_.push_back(count);
}

#define DCSVM_INSTANTIATE(U)                           \
  template void StripPlan::append<U>(const U*, Index); \
  template void StripPlan::note<U>(const U*);
DCSVM_INSTANTIATE(float)
DCSVM_INSTANTIATE(double)
DCSVM_INSTANTIATE(std::uint32_t)
#undef DCSVM_INSTANTIATE

}  // namespace dcsvm::kernels
