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

/// Throws DataError (a label is not finite, or not among the given classes; a class whose weights are all 0, unless classes are
/// given), ParameterError (class_weight).
LinearLabels make_labels(const double* y, Index n, const LinearParams& params, const LinearInputs& inputs);

/// The same, where inputs.sample_weight may leave out all rows of a class, as the rows of a fold do.
LinearLabels labels_of_part(const double* y, Index n, const LinearParams& params, const LinearInputs& inputs);

}  // namespace dcsvm::linear
