// F7: every parameter's range, in one place.
#pragma once

#include "dcsvm/params.hpp"

namespace dcsvm::api {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const TrainParams& params);

}  // namespace dcsvm::api
