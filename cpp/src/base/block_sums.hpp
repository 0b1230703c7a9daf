// Sums that have the same bits for any number of threads.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"

namespace dcsvm::base {

/// The sum of block(begin, end) over blocks of [0, n), added in ascending order. The blocks begin at the multiples of `grain`,
/// whatever the number of threads. A default-constructed result of `block` must be zero.
template <class Block>
auto sum_blocks(Index n, Index grain, ThreadPool& pool, const Block& block) {
  using Sum = decltype(block(Index{}, Index{}));
  std::vector<Sum> part(static_cast<std::size_t>((n + grain - 1) / grain), Sum());
  pool.for_range(n, grain, [&](Index begin, Index end, int) { part[begin / grain] = block(begin, end); });
  Sum sum = Sum();
  for (const Sum& s : part) sum += s;
  return sum;
}

}  // namespace dcsvm::base
