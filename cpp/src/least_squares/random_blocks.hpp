// Which points the blocks of a randomised LS-SVM method have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/vectors.hpp"

namespace dcsvm::least_squares {

/// Successive parts of a random permutation of 0 .. n - 1; a new permutation when less than a part is left (Andrecut 2016,
/// Section 3.1).
class RandomBlocks {
 public:
  RandomBlocks(Index n, Index size, std::uint64_t seed) : order_(base::index_range(n)), size_(size), next_(n), random_(seed) {}
  std::vector<Index> next() {
    const auto n = static_cast<Index>(order_.size());
    if (next_ + size_ > n) {
      base::shuffle(order_, random_);
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
