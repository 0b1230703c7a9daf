// Labels as positions among the classes, and the weights of classes.
#pragma once

#include <utility>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::data {

/// The distinct labels, ascending, and each row's position among them.
void find_classes(const double* y, Index n, std::vector<double>& classes, std::vector<int>& class_of);

/// Weight of each class, from (label, weight) pairs; balanced: n / (classes x rows of the class), counting rows with
/// class_of >= 0. Throws ParameterError for a label that is no class.
std::vector<double> class_factors(const std::vector<std::pair<double, double>>& class_weight, bool balanced,
                                  const std::vector<double>& classes, const std::vector<int>& class_of);

/// A row's weight: that of its class times its own (sample_weight null: 1). It takes part where this is > 0; times C it is the
/// bound of the row's variable.
inline double row_weight(double of_class, const double* sample_weight, Index i) {
  return of_class * (sample_weight != nullptr ? sample_weight[i] : 1.0);
}

/// DataError that names the first class of which no row takes part: its weights, class_weight times sample_weight, are all 0.
void check_alive(const std::vector<double>& classes, const std::vector<bool>& alive);

}  // namespace dcsvm::data
