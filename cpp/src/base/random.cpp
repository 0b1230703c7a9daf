#include "base/random.hpp"

namespace dcsvm::base {

std::vector<Index> sample(const std::vector<Index>& from, Index m, Random& random) {
  const Index n = static_cast<Index>(from.size());
  std::vector<Index> chosen;
  chosen.reserve(m < n ? m : n);
  // Selection sampling (Knuth, TAOCP 2, algorithm S).
  for (Index i = 0; i < n && static_cast<Index>(chosen.size()) < m; ++i) {
    const double left = static_cast<double>(n - i);
    if (random.uniform() * left < static_cast<double>(m - static_cast<Index>(chosen.size()))) {
      chosen.push_back(from[i]);
    }
  }
  return chosen;
}

}  // namespace dcsvm::base
