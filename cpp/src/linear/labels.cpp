#include "linear/labels.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "data/check.hpp"
#include "data/labels.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::linear {

namespace {

/// The caller's order of the classes: position of each ascending class in it.
std::vector<int> positions(const std::vector<double>& ascending, const std::vector<double>& order) {
  std::vector<int> at;
  at.reserve(ascending.size());
  for (const double label : ascending) {
    const auto found = std::find(order.begin(), order.end(), label);
    if (found == order.end()) {
      std::ostringstream text;
      text << "y has the label " << label << ", which is not among the given classes";
      throw DataError(text.str());
    }
    at.push_back(static_cast<int>(found - order.begin()));
  }
  return at;
}

}  // namespace

std::vector<int> LinearLabels::places() const {
  std::vector<int> own;
  if (liblinear_order) {
    for (std::size_t c = 0; c < classes.size(); ++c) own.push_back(static_cast<int>(c));
  }
  return own;
}

LinearLabels labels_of_part(const double* y, Index n, const LinearParams& params, const LinearInputs& inputs) {
  LinearLabels labels;
  const bool given = !inputs.classes.empty();
  if (!given) data::check_labels(y, n);
  for (Index i = 0; i < n; ++i) {
    if (!std::isfinite(y[i])) throw DataError("y is not finite at row " + std::to_string(i));
  }
  std::vector<double> ascending;
  data::find_classes(y, n, ascending, labels.class_of);
  // Factors are found among the classes that y has; the order comes afterwards.
  std::vector<int> taking_part = labels.class_of;
  if (inputs.sample_weight != nullptr) {
    for (Index i = 0; i < n; ++i) {
      if (inputs.sample_weight[i] == 0) taking_part[i] = -1;
    }
  }
  std::vector<double> factor = data::class_factors(params.class_weight, params.balanced, ascending, taking_part);
  if (!given) {
    labels.classes = std::move(ascending);
    labels.factor = std::move(factor);
    return labels;
  }
  labels.liblinear_order = true;
  const std::vector<int> at = positions(ascending, inputs.classes);
  labels.classes = inputs.classes;
  labels.factor.assign(labels.classes.size(), 1.0);
  for (std::size_t c = 0; c < at.size(); ++c) labels.factor[at[c]] = factor[c];
  for (int& c : labels.class_of) c = at[c];
  return labels;
}

LinearLabels make_labels(const double* y, Index n, const LinearParams& params, const LinearInputs& inputs) {
  LinearLabels labels = labels_of_part(y, n, params, inputs);
  if (labels.liblinear_order) return labels;  // LIBLINEAR trains with a weight of 0
  std::vector<bool> alive(labels.classes.size(), false);
  for (Index i = 0; i < n; ++i) {
    const auto c = static_cast<std::size_t>(labels.class_of[i]);
    if (labels.factor[c] > 0 && (inputs.sample_weight == nullptr || inputs.sample_weight[i] != 0)) alive[c] = true;
  }
  // In the multinomial model a class without weight is one whose probability is nearly 0.
  const bool some = std::find(alive.begin(), alive.end(), true) != alive.end();
  if (params.solver != LinearSolver::multinomial || !some) data::check_alive(labels.classes, alive);
  return labels;
}

}  // namespace dcsvm::linear
