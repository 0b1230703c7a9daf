// The cache of rows in regions against a list of rows: what is held, what leaves, whose memory is whose.
#include <algorithm>
#include <list>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "qp/region_cache.hpp"

using namespace dcsvm;
using qp::RegionCache;

namespace {

template <class T>
class RegionTwin {
 public:
  RegionTwin(Index n, Index region, std::size_t bytes) : n_(n), region_size_(region), bytes_(bytes), cache_(n, region, bytes) {}

  Index n_regions() const { return (n_ + region_size_ - 1) / region_size_; }
  std::size_t held() const { return rows_.size(); }
  std::size_t evictions() const { return evictions_; }
  const RegionCache<T>& cache() const { return cache_; }

  // What an update does: finds its rows, makes room for all, inserts and fills those that are missing. False: no room.
  bool update(const std::vector<Index>& positions, base::Random& random, double share) {
    Index units = 0;
    std::vector<std::vector<std::int32_t>> regions;
    for (const Index p : positions) {
      const std::int32_t slot = cache_.find(p);
      const auto held = find(p);
      REQUIRE((slot >= 0) == (held != rows_.end()));
      regions.push_back(slot >= 0 ? cache_.row(slot).regions : some_regions(random, share));
      units += static_cast<Index>(regions.back().size());
      if (slot >= 0) rows_.splice(rows_.begin(), rows_, held);
    }
    if (!cache_.make_room(units)) {
      // One full row always fits.
      REQUIRE((positions.size() > 1 || units > n_regions()));
      return false;
    }
    std::vector<std::pair<std::int32_t, std::size_t>> fresh;
    for (std::size_t t = 0; t < positions.size(); ++t) {
      if (find(positions[t]) != rows_.end()) continue;
      fresh.emplace_back(cache_.insert(positions[t]), t);
      REQUIRE(cache_.row(fresh.back().first).regions.empty());
      rows_.push_front({positions[t], regions[t]});
    }
    for (const auto& [slot, t] : fresh) {
      cache_.give(slot, regions[t]);
      const auto& row = cache_.row(slot);
      REQUIRE(row.regions == regions[t]);
      REQUIRE(row.units.size() == row.regions.size());
      for (std::size_t b = 0; b < row.units.size(); ++b) fill(cache_.unit(row.units[b]), positions[t], row.regions[b]);
    }
    drop_evicted(positions);
    check(positions);
    return true;
  }

  void restart(Index n) {
    n_ = n;
    cache_.restart(n);
    rows_.clear();
    for (Index p = 0; p < n; ++p) REQUIRE(cache_.find(p) < 0);
    REQUIRE(cache_.n_regions() == n_regions());
  }

 private:
  struct Row {
    Index position;
    std::vector<std::int32_t> regions;
  };
  typename std::list<Row>::iterator find(Index position) {
    return std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.position == position; });
  }
  std::vector<std::int32_t> some_regions(base::Random& random, double share) const {
    std::vector<std::int32_t> regions;
    for (Index b = 0; b < n_regions(); ++b) {
      if (random.uniform() < share) regions.push_back(static_cast<std::int32_t>(b));
    }
    return regions;
  }
  void fill(T* unit, Index position, std::int32_t b) const {
    std::fill(unit, unit + region_size_, static_cast<T>(position * 1000 + b));
  }

  // The oldest rows may have left, and they only (check() finds the others).
  void drop_evicted(const std::vector<Index>& positions) {
    std::size_t left = 0;
    while (!rows_.empty() && !present_by_peek(rows_.back().position)) {
      REQUIRE(std::find(positions.begin(), positions.end(), rows_.back().position) == positions.end());
      rows_.pop_back();
      ++left;
    }
    evictions_ += left;
  }
  // Asks by finding, then restores the order of use by finding everything newer again.
  bool present_by_peek(Index position) {
    const bool present = cache_.find(position) >= 0;
    for (auto it = rows_.rbegin(); it != rows_.rend(); ++it) {
      if (it->position != position) cache_.find(it->position);
    }
    return present;
  }
  void check(const std::vector<Index>& positions) {
    std::set<std::int32_t> taken;
    for (auto it = rows_.rbegin(); it != rows_.rend(); ++it) {  // oldest first: the order of use stays
      const std::int32_t slot = cache_.find(it->position);
      REQUIRE(slot >= 0);
      const auto& row = cache_.row(slot);
      REQUIRE(row.regions == it->regions);
      for (std::size_t b = 0; b < row.units.size(); ++b) {
        REQUIRE(taken.insert(row.units[b]).second);
        const T* unit = cache_.unit(row.units[b]);
        const T value = static_cast<T>(it->position * 1000 + row.regions[b]);
        REQUIRE(std::all_of(unit, unit + region_size_, [&](T v) { return v == value; }));
      }
    }
    for (const Index p : positions) REQUIRE(find(p) != rows_.end());
    REQUIRE(cache_.bytes() <= bytes_ + 4096);  // of alignment
    REQUIRE(cache_.peak_bytes() <= cache_.bytes());
    REQUIRE(cache_.peak_bytes() >= taken.size() * static_cast<std::size_t>(region_size_) * sizeof(T));
  }

  Index n_, region_size_;
  std::size_t bytes_, evictions_ = 0;
  RegionCache<T> cache_;
  std::list<Row> rows_;  // newest first
};

template <class T>
std::size_t unit_bytes(Index region) {
  return static_cast<std::size_t>(region) * sizeof(T) + 2 * sizeof(std::int32_t);
}

}  // namespace

TEST_CASE_TEMPLATE("random updates: the oldest leave first, no unit has two owners, values stay", T, float, double) {
  const Index n = 300, region = 16;
  for (const Index units : {19, 20, 40, 100, 400}) {  // a full row has 19
    for (const double share : {0.05, 0.4, 1.0}) {
      base::Random random(static_cast<std::uint64_t>(units));
      RegionTwin<T> twin(n, region, static_cast<std::size_t>(units) * unit_bytes<T>(region));
      int refused = 0;
      for (int step = 0; step < 60; ++step) {
        std::set<Index> positions;
        const Index wanted = 1 + random.below(step % 5 == 0 ? 12 : 3);
        while (static_cast<Index>(positions.size()) < wanted) positions.insert(random.below(40));
        std::vector<Index> list(positions.begin(), positions.end());
        std::reverse(list.begin() + static_cast<Index>(list.size()) / 2, list.end());
        if (!twin.update(list, random, share)) ++refused;
      }
      CAPTURE(units);
      CAPTURE(share);
      if (units < 100 && share > 0.3) CHECK(twin.evictions() > 10);
      if (units == 19 && share == 1.0) CHECK(refused > 10);
      if (units == 400 && share < 0.3) CHECK(refused == 0);
    }
  }
}

TEST_CASE_TEMPLATE("a full row fits the smallest cache that can hold it, one unit less does not", T, float, double) {
  const Index n = 100, region = 8;  // 13 regions, the last not full
  base::Random random(2);
  RegionTwin<T> exact(n, region, 13 * unit_bytes<T>(region));
  for (Index p = 0; p < n; p += 7) CHECK(exact.update({p}, random, 1.0));
  CHECK(exact.held() == 1);
  qp::RegionCache<T> cache(n, region, 12 * unit_bytes<T>(region));
  CHECK_FALSE(cache.make_room(13));
  CHECK(cache.make_room(12));
}

TEST_CASE_TEMPLATE("restart forgets every row, keeps the memory, and works with fewer columns", T, float, double) {
  base::Random random(3);
  RegionTwin<T> twin(300, 16, 60 * unit_bytes<T>(16));
  std::size_t peak = 0;
  for (const Index n : {300, 120, 120, 40, 7}) {
    if (n < 300) twin.restart(n);
    const auto before = twin.cache().bytes();
    for (int step = 0; step < 30; ++step) twin.update({random.below(n)}, random, 0.6);
    CHECK(twin.cache().bytes() == before);
    CHECK(twin.cache().peak_bytes() >= peak);
    peak = twin.cache().peak_bytes();
  }
}

TEST_CASE("rows without regions take no memory and can be found") {
  qp::RegionCache<float> cache(64, 16, 4 * unit_bytes<float>(16));
  for (Index p = 0; p < 64; ++p) {
    CHECK(cache.find(p) < 0);
    cache.give(cache.insert(p), {});
  }
  for (Index p = 0; p < 64; ++p) CHECK(cache.find(p) >= 0);
  CHECK(cache.peak_bytes() == 0);
}
