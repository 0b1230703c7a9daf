// Checks of all parameters, and the depth that they ask for.
#pragma once

#include "dcsvm/ldkl.hpp"

namespace dcsvm::ldkl {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const LdklParams& params);

/// The depth of the trees: params.depth, or the largest that the budget allows and that leaves 32 of n rows for each leaf. d:
/// features; problems: trees. Throws ParameterError when the budget allows no tree.
Index depth_for(const LdklParams& params, Index n, Index d, Index problems);

}  // namespace dcsvm::ldkl
