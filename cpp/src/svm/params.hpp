// Checks of all parameters: each in its range, and what they ask of each other.
#pragma once

#include "dcsvm/params.hpp"

namespace dcsvm::svm {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const TrainParams& params);

}  // namespace dcsvm::svm
