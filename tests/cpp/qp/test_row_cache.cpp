// The row cache against a list: what is held, what leaves, what compaction keeps; whatever its policy of growing.
#include <algorithm>
#include <list>
#include <map>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "qp/row_cache.hpp"

using namespace dcsvm;
using qp::RowCache;

namespace {

// Variables keep their names while positions change: row of name a holds a * 1000 + b at the column of name b.
template <class T>
class RowTwin {
 public:
  RowTwin(Index n, std::size_t bytes, double work) : cache_(n, bytes, work), bytes_(bytes) {
    for (Index i = 0; i < n; ++i) names_.push_back(i);
  }
  Index size() const { return static_cast<Index>(names_.size()); }

  void visit(Index position) {
    const Index name = names_[position];
    T* row = cache_.find(position);
    const auto it = std::find(used_.begin(), used_.end(), name);
    REQUIRE((row != nullptr) == (it != used_.end()));
    if (row != nullptr) {
      for (Index j = 0; j < size(); ++j) REQUIRE(row[j] == value(name, names_[j]));
      used_.erase(it);
    } else {
      const auto before = static_cast<Index>(used_.size());
      row = cache_.insert(position);
      REQUIRE(reinterpret_cast<std::uintptr_t>(row) % 64 == 0);
      for (Index j = 0; j < size(); ++j) row[j] = value(name, names_[j]);
      // The limit may have grown at this miss; a full cache evicts the least recently used.
      if (before >= cache_.capacity()) used_.pop_back();
    }
    used_.push_front(name);
    REQUIRE(static_cast<Index>(used_.size()) <= cache_.capacity());
    REQUIRE(cache_.peak_bytes() <= bytes_);
  }

  void compact(base::Random& random, double share, base::ThreadPool& pool) {
    std::vector<Index> keep, names;
    for (Index i = 0; i < size(); ++i) {
      if (random.uniform() < share) keep.push_back(i), names.push_back(names_[i]);
    }
    if (keep.size() < 2) return;
    cache_.compact(keep, pool);
    names_ = names;
    used_.remove_if([&](Index name) { return !std::binary_search(names.begin(), names.end(), name); });
    REQUIRE(static_cast<Index>(used_.size()) <= cache_.capacity());
    REQUIRE(cache_.peak_bytes() <= bytes_);
  }

  void check_all() {
    auto names = std::vector<Index>(used_.begin(), used_.end());
    for (auto it = names.rbegin(); it != names.rend(); ++it) {  // in order of use, so that the order stays
      visit(std::lower_bound(names_.begin(), names_.end(), *it) - names_.begin());
    }
  }

 private:
  static T value(Index a, Index b) { return static_cast<T>(a * 1000 + b); }
  RowCache<T> cache_;
  std::size_t bytes_;
  std::vector<Index> names_;  // by position, ascending
  std::list<Index> used_;     // names, the newest first
};

}  // namespace

TEST_CASE_TEMPLATE("find, insert, evict and compact against a list", T, float, double) {
  base::ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    base::Random random(seed);
    const Index n = 20 + random.below(300), rows = 2 + random.below(60);
    RowTwin<T> twin(n, static_cast<std::size_t>(rows) * static_cast<std::size_t>((n + 15) / 16 * 16) * sizeof(T),
                    seed % 2 == 0 ? 1.0 : 500.0);
    for (int step = 0; step < 1500; ++step) {
      const Index near = std::min<Index>(twin.size(), 8 + random.below(60));
      twin.visit(random.uniform() < 0.7 ? random.below(near) : random.below(twin.size()));
      if (step % 200 == 199) twin.compact(random, 0.7, pool);
    }
    twin.check_all();
  }
}

TEST_CASE("a cache larger than its first rows grows as evicted rows return, never past its bytes") {
  base::ThreadPool pool(1);
  const Index n = 1600;
  for (const double work : {1.0, 1000.0}) {
    const std::size_t bytes = std::size_t{1500} * 1600 * sizeof(float);
    RowCache<float> cache(n, bytes, work);
    for (int pass = 0; pass < 12; ++pass) {
      for (Index p = 0; p < n; ++p) {
        float* row = cache.find(p);
        if (row == nullptr) {
          row = cache.insert(p);
          row[0] = static_cast<float>(p);
          row[n - 1] = static_cast<float>(-p);
        }
        REQUIRE(row[0] == static_cast<float>(p));
        REQUIRE(row[n - 1] == static_cast<float>(-p));
      }
    }
    CHECK(cache.capacity() <= 1500);
    CHECK(cache.peak_bytes() <= bytes);
  }
}

TEST_CASE("everything kept: compact is no change; a cache of all rows never evicts") {
  base::ThreadPool pool(3);
  const Index n = 100;
  RowCache<double> cache(n, std::size_t{1} << 20, 1.0);
  REQUIRE(cache.capacity() == n);
  for (Index p = 0; p < n; ++p) cache.insert(p)[p] = static_cast<double>(p);
  std::vector<Index> all;
  for (Index p = 0; p < n; ++p) all.push_back(p);
  cache.compact(all, pool);
  for (Index p = 0; p < n; ++p) {
    REQUIRE(cache.find(p) != nullptr);
    CHECK(cache.find(p)[p] == static_cast<double>(p));
  }
}
