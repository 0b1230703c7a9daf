// A small seeded generator whose sequence is the same with every standard library (std::shuffle's is not).
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::base {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, n); n < 2^53 keeps the bias below 2^-10.
  Index below(Index n) { return static_cast<Index>(next() % static_cast<std::uint64_t>(n)); }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

/// m distinct elements of `from` (all when m >= size), in ascending position.
std::vector<Index> sample(const std::vector<Index>& from, Index m, Random& random);

}  // namespace dcsvm::base
