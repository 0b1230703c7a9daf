#include "c_common/grouping.hpp"

#include <cstdio>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "dcsvm/errors.hpp"

namespace dcsvm::c_common {

Grouping group(const double* y, Index l) {
  Grouping g;
  std::unordered_map<int, int> place;
  g.codes.reserve(l);
  for (Index i = 0; i < l; ++i) {
    constexpr double low = std::numeric_limits<int>::min(), high = std::numeric_limits<int>::max();
    if (!(y[i] >= low && y[i] <= high)) {
      char label[32];
      std::snprintf(label, sizeof label, "%g", y[i]);
      throw DataError("row " + std::to_string(i) + ": label " + label + " is not an int");
    }
    const auto [entry, is_new] = place.emplace(static_cast<int>(y[i]), static_cast<int>(g.labels.size()));
    if (is_new) {
      g.labels.push_back(entry->first);
      g.counts.push_back(0);
    }
    ++g.counts[entry->second];
    g.codes.push_back(entry->second);
  }
  if (g.labels == std::vector<int>{-1, 1}) {
    std::swap(g.labels[0], g.labels[1]);
    std::swap(g.counts[0], g.counts[1]);
    for (double& c : g.codes) c = 1.0 - c;
  }
  return g;
}

}  // namespace dcsvm::c_common
