#include "ldkl/labels.hpp"

#include <algorithm>

#include "data/check.hpp"
#include "data/labels.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::ldkl {

std::vector<double> LdklLabels::signs(Index problem) const {
  std::vector<double> y;
  y.reserve(class_of.size());
  for (const int c : class_of) y.push_back(c == problem ? 1.0 : -1.0);
  return y;
}

LdklLabels make_labels(const double* y, Index n, const LdklParams& params, const double* sample_weight) {
  data::check_labels(y, n);
  if (sample_weight != nullptr) data::check_weights(sample_weight, n);
  LdklLabels labels;
  std::vector<int> class_of;
  data::find_classes(y, n, labels.classes, class_of);
  const std::vector<double> factor = data::class_factors(params.class_weight, params.balanced, labels.classes, class_of);
  std::vector<bool> alive(labels.classes.size(), false);
  double largest = 0, sum = 0;
  for (Index i = 0; i < n; ++i) {
    const double weight = data::row_weight(factor[class_of[i]], sample_weight, i);
    if (!(weight > 0)) continue;
    alive[class_of[i]] = true;
    labels.rows.push_back(i);
    labels.class_of.push_back(class_of[i]);
    labels.weight.push_back(weight);
    largest = std::max(largest, weight);
  }
  data::check_alive(labels.classes, alive);
  for (double& weight : labels.weight) sum += weight /= largest;  // their sum cannot overflow
  const double mean = sum / static_cast<double>(labels.rows.size());
  for (double& weight : labels.weight) weight /= mean;
  return labels;
}

}  // namespace dcsvm::ldkl
