// Labels of a classifier as positions among its classes, and the weights of classes.
#pragma once

#include <vector>

#include "dcsvm/linear.hpp"

namespace dcsvm::linear {

struct LinearLabels {
  std::vector<double> classes;  ///< in the order of the model
  std::vector<int> class_of;    ///< n
  std::vector<double> factor;   ///< of each class
};

/// Throws DataError, ParameterError.
LinearLabels make_labels(const double* y, Index n, const LinearParams& params, const LinearInputs& inputs);

}  // namespace dcsvm::linear
