#include "data/labels.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "dcsvm/errors.hpp"

namespace dcsvm::data {

void find_classes(const double* y, Index n, std::vector<double>& classes, std::vector<int>& class_of) {
  const std::vector<double> own(y, y + n);  // another thread may write into y: every row must find its class
  classes = own;
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  class_of.resize(n);
  for (Index i = 0; i < n; ++i)
    class_of[i] = static_cast<int>(std::lower_bound(classes.begin(), classes.end(), own[i]) - classes.begin());
}

std::vector<double> class_factors(const std::vector<std::pair<double, double>>& class_weight, bool balanced,
                                  const std::vector<double>& classes, const std::vector<int>& class_of) {
  std::vector<double> factor(classes.size(), 1.0);
  if (balanced) {
    std::vector<double> count(factor.size(), 0.0);
    for (const int c : class_of) {
      if (c >= 0) count[c] += 1.0;
    }
    const double n = std::accumulate(count.begin(), count.end(), 0.0);
    const auto present =
        static_cast<double>(count.size() - static_cast<std::size_t>(std::count(count.begin(), count.end(), 0.0)));
    for (std::size_t c = 0; c < factor.size(); ++c) factor[c] = count[c] > 0 ? n / (present * count[c]) : 0.0;
  }
  for (const auto& [label, weight] : class_weight) {
    const auto it = std::lower_bound(classes.begin(), classes.end(), label);
    if (it == classes.end() || *it != label) {
      std::ostringstream text;
      text << "class_weight names label " << label << ", which y does not contain";
      throw ParameterError(text.str());
    }
    factor[it - classes.begin()] = weight;
  }
  return factor;
}

}  // namespace dcsvm::data
