// Checks of all parameters: each in its range, and what they ask of each other.
#pragma once

#include "dcsvm/dc_pred.hpp"

namespace dcsvm::dc_pred {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const DcPredParams& params);

}  // namespace dcsvm::dc_pred
