// Checks of all parameters: each in its range, and what they ask of each other.
#pragma once

#include "dcsvm/low_rank.hpp"

namespace dcsvm::low_rank {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const LowRankParams& params);

}  // namespace dcsvm::low_rank
