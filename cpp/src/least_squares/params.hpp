// Checks of all parameters: each in its range, and what they ask of each other.
#pragma once

#include "dcsvm/ls_svm.hpp"
#include "dcsvm/ridge.hpp"

namespace dcsvm::least_squares {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const RidgeParams& params);
void check_params(const LsSvmParams& params);

}  // namespace dcsvm::least_squares
