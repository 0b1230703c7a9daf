#include "data/labels.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "dcsvm/errors.hpp"

namespace dcsvm::data {

namespace {

/// Few classes, in the order in which they appear; false: there are more.
bool find_few(const std::vector<double>& y, std::vector<double>& classes, std::vector<int>& class_of) {
  constexpr std::size_t kFew = 16;
  for (std::size_t i = 0; i < y.size(); ++i) {
    int place = -1;
    for (std::size_t c = 0; c < classes.size(); ++c) place = classes[c] == y[i] ? static_cast<int>(c) : place;  // no jumps
    if (place < 0) {
      if (classes.size() == kFew) return false;
      place = static_cast<int>(classes.size());
      classes.push_back(y[i]);
    }
    class_of[i] = place;
  }
  return true;
}

}  // namespace

void find_classes(const double* y, Index n, std::vector<double>& classes, std::vector<int>& class_of) {
  const std::vector<double> own(y, y + n);  // another thread may write into y: every row must find its class
  std::vector<double> found;
  class_of.resize(n);
  const bool few = find_few(own, found, class_of);
  classes = few ? found : own;
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  const auto place = [&](double v) {
    return static_cast<int>(std::lower_bound(classes.begin(), classes.end(), v) - classes.begin());
  };
  if (!few) {
    for (Index i = 0; i < n; ++i) class_of[i] = place(own[i]);
    return;
  }
  std::vector<int> sorted;
  sorted.reserve(found.size());
  for (const double v : found) sorted.push_back(place(v));
  for (int& c : class_of) c = sorted[static_cast<std::size_t>(c)];
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

void check_alive(const std::vector<double>& classes, const std::vector<bool>& alive) {
  const auto none = std::find(alive.begin(), alive.end(), false);
  if (none == alive.end()) return;
  std::ostringstream text;
  text << "all weights of class " << classes[none - alive.begin()]
       << " are zero: leave the class out, or give it a row whose class_weight and sample_weight are above 0";
  throw DataError(text.str());
}

}  // namespace dcsvm::data
