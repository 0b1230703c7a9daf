#include "qp/equal_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dcsvm::qp {

// By open addressing in a hash table, whose slots hold the first variable of a key: sorting costs several times as much.
void EqualRows::find_points(const std::vector<std::uint64_t>& keys) {
  const auto n = static_cast<Index>(keys.size());
  int bits = 1;
  while ((Index{1} << bits) < 2 * n) ++bits;
  std::vector<Index> first(std::size_t{1} << bits, -1), point(keys.size());
  for (Index i = 0; i < n; ++i) {
    std::size_t slot = (keys[i] * 0x9E3779B97F4A7C15U) >> (64 - bits);
    while (first[slot] >= 0 && keys[first[slot]] != keys[i]) slot = (slot + 1) % first.size();
    if (first[slot] < 0) first[slot] = i;
    point[i] = first[slot] == i ? n_points_++ : point[first[slot]];
  }
  if (n_points_ < n) point_ = std::move(point);  // else all differ, so that per_point_ is 1
}

double EqualRows::square(const double* after, const double* before, Index n) const {
  const auto change = [&](Index i) { return before == nullptr ? after[i] : after[i] - before[i]; };
  double total = 0;
  if (point_.empty()) {
    for (Index begin = 0; begin < n; begin += per_point_) {
      double squares = 0, sum = 0;
      for (Index i = begin; i < std::min(n, begin + per_point_); ++i) {
        squares += change(i) * change(i);
        sum += change(i);
      }
      total += std::max(squares, sum * sum);
    }
    return total;
  }
  std::vector<double> squares(static_cast<std::size_t>(n_points_), 0.0), sums(squares);
  for (Index i = 0; i < n; ++i) {
    squares[point_[i]] += change(i) * change(i);
    sums[point_[i]] += change(i);
  }
  for (std::size_t p = 0; p < squares.size(); ++p) total += std::max(squares[p], sums[p] * sums[p]);
  return total;
}

}  // namespace dcsvm::qp
