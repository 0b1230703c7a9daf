// F5: which points the blocks of a randomised solver have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace dcsvm::least_squares {

/// Contiguous pieces of a random permutation of 0 .. n - 1; a new one when less than a piece is left (Section 3.1).
class RandomBlocks {
 public:
  RandomBlocks(Index n, Index size, std::uint64_t seed)
      : order_(static_cast<std::size_t>(n)), size_(size), next_(n), random_(seed) {
    std::iota(order_.begin(), order_.end(), Index{0});
  }
  std::vector<Index> next() {
    const auto n = static_cast<Index>(order_.size());
    if (next_ + size_ > n) {
      for (Index i = n - 1; i > 0; --i) std::swap(order_[i], order_[random_.below(i + 1)]);
      next_ = 0;
    }
    std::vector<Index> idx(order_.begin() + next_, order_.begin() + next_ + size_);
    next_ += size_;
    std::sort(idx.begin(), idx.end());
    return idx;
  }

 private:
  std::vector<Index> order_;
  Index size_, next_;
  base::Random random_;
};

}  // namespace dcsvm::least_squares
