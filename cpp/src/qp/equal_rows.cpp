#include "qp/equal_rows.hpp"

#include <algorithm>
#include <numeric>

namespace dcsvm::qp {

// Sorted once: each solve asks for several squares.
void EqualRows::number(const std::vector<std::uint64_t>& keys) {
  std::vector<Index> order(keys.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return keys[a] < keys[b]; });
  point_.resize(keys.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || keys[order[k]] != keys[order[k - 1]]) ++points_;
    point_[order[k]] = points_ - 1;
  }
  if (points_ == static_cast<Index>(keys.size())) point_.clear();  // all differ
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
