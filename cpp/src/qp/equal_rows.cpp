#include "qp/equal_rows.hpp"

#include <algorithm>

namespace dcsvm::qp {

double EqualRows::square(const double* after, const double* before, Index n) const {
  struct Step {
    std::uint64_t point;
    double change;
  };
  std::vector<Step> steps;
  for (Index i = 0; i < n; ++i) {
    const double change = before == nullptr ? after[i] : after[i] - before[i];
    if (change != 0.0) steps.push_back({keys_.empty() ? static_cast<std::uint64_t>(i / per_point_) : keys_[i], change});
  }
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.point < b.point; });
  double total = 0;
  for (std::size_t s = 0; s < steps.size();) {
    double square = 0, together = 0;
    for (const std::uint64_t point = steps[s].point; s < steps.size() && steps[s].point == point; ++s) {
      square += steps[s].change * steps[s].change;
      together += steps[s].change;
    }
    total += std::max(square, together * together);
  }
  return total;
}

}  // namespace dcsvm::qp
