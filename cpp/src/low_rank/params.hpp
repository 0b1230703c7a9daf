// Checks of all parameters: each in its range, and what they ask of each other.
#pragma once

#include "dcsvm/low_rank.hpp"

namespace dcsvm::low_rank {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const LowRankParams& params);

/// params with the number of landmarks that params.budget allows, n (rows) at most; params as they are without a budget. d:
/// columns; outputs: decisions of a row. Throws ParameterError when the budget does not allow two, or the landmarks are given.
LowRankParams within_budget(const LowRankParams& params, const LowRankInputs& inputs, Index n, Index d, Index outputs);

}  // namespace dcsvm::low_rank
