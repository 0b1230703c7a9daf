// What the standard library has no word for.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/aligned_memory.hpp"
#include "base/random.hpp"

namespace dcsvm::base {

/// first, first + 1, ..., first + n - 1.
inline std::vector<Index> index_range(Index n, Index first = 0) {
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// v.reserve(n), in huge pages where they are large enough: first touch of 4 KB pages costs more than what is written there.
template <class T>
void reserve_large(std::vector<T>& v, std::size_t n) {
  v.reserve(n);
  advise_huge_pages(v.data(), n * sizeof(T));
}

inline bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// A sum that keeps the rounding of each of its additions (Neumaier 1974): as wrong as its terms and one rounding of the whole,
/// also where they nearly cancel.
struct CompensatedSum {
  double sum = 0, lost = 0;
  void add(double x) {
    const double now = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - now) + x : (x - now) + sum;
    sum = now;
  }
  double value() const { return sum + lost; }
};

/// Fisher and Yates's shuffle.
inline void shuffle(std::vector<Index>& order, Random& random) {
  for (Index i = static_cast<Index>(order.size()) - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
}

}  // namespace dcsvm::base
