// Every parameter's range.
#pragma once

#include "dcsvm/low_rank.hpp"

namespace dcsvm::low_rank {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const LowRankParams& params);

}  // namespace dcsvm::low_rank
