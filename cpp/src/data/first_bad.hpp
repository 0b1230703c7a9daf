// A parallel search for the first rows that fail a test, with the same result for any number of threads.
#pragma once

#include <atomic>
#include <limits>

#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::data {

constexpr Index kNone = std::numeric_limits<Index>::max();

/// Begin of the first piece of `grain` rows for which good(begin, end) is false, kNone when there is none. Pieces behind a known
/// bad one may be skipped.
template <class Good>
Index first_bad(Index n, Index grain, base::ThreadPool& pool, const Good& good) {
  std::atomic<Index> bad{kNone};
  pool.for_range(n, grain, [&](Index begin, Index end, int) {
    if (begin > bad.load(std::memory_order_relaxed) || good(begin, end)) return;
    Index seen = bad.load(std::memory_order_relaxed);
    while (begin < seen && !bad.compare_exchange_weak(seen, begin, std::memory_order_relaxed)) {
    }
  });
  return bad.load();
}

}  // namespace dcsvm::data
