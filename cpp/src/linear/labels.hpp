// Labels of a classifier as positions among its classes, and the weights of classes.
#pragma once

#include <vector>

#include "dcsvm/linear.hpp"

namespace dcsvm::linear {

struct LinearLabels {
  std::vector<double> classes;  ///< in the order of the model
  std::vector<int> class_of;    ///< of each row: the position of its label in `classes`
  std::vector<double> factor;   ///< class_weight of each class
  bool liblinear_order = false;  ///< the caller gave the order of the classes, as LIBLINEAR's interfaces do
  std::vector<int> places() const;  ///< LinearData::places
};

/// Throws DataError (a label is not finite, or not among the given classes; a single class), ParameterError (class_weight).
LinearLabels make_labels(const double* y, Index n, const LinearParams& params, const LinearInputs& inputs);

}  // namespace dcsvm::linear
