#include "qp/equal_rows.hpp"

#include <algorithm>
#include <cstddef>

namespace dcsvm::qp {

// By open addressing in a hash table, whose slots hold the first variable of a key: sorting costs several times as much.
void EqualRows::number(const std::vector<std::uint64_t>& keys) {
  const auto n = static_cast<Index>(keys.size());
  int bits = 1;
  while ((Index{1} << bits) < 2 * n) ++bits;
  std::vector<Index> first(std::size_t{1} << bits, -1);
  point_.resize(keys.size());
  for (Index i = 0; i < n; ++i) {
    std::size_t slot = (keys[i] * 0x9E3779B97F4A7C15U) >> (64 - bits);
    while (first[slot] >= 0 && keys[first[slot]] != keys[i]) slot = (slot + 1) % first.size();
    if (first[slot] < 0) {
      first[slot] = i;
      point_[i] = points_++;
    } else {
      point_[i] = point_[first[slot]];
    }
  }
  if (points_ == n) point_.clear();  // all differ
}

double EqualRows::square(const double* after, const double* before, Index n) const {
  const auto change = [&](Index i) { return before == nullptr ? after[i] : after[i] - before[i]; };
  double total = 0;
  if (point_.empty()) {
    for (Index i = 0; i < n;) {
      double square = 0, together = 0;
      for (const Index end = std::min(n, i + per_point_); i < end; ++i) square += change(i) * change(i), together += change(i);
      total += std::max(square, together * together);
    }
    return total;
  }
  std::vector<double> square(static_cast<std::size_t>(points_), 0.0), together(square);
  for (Index i = 0; i < n; ++i) {
    square[point_[i]] += change(i) * change(i);
    together[point_[i]] += change(i);
  }
  for (std::size_t p = 0; p < square.size(); ++p) total += std::max(square[p], together[p] * together[p]);
  return total;
}

}  // namespace dcsvm::qp
