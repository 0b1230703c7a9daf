// Every parameter's range.
#pragma once

#include "dcsvm/params.hpp"

namespace dcsvm::svm {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const TrainParams& params);

}  // namespace dcsvm::svm
