// Checks of all parameters: each in its range, and what they ask of each other.
#pragma once

#include "dcsvm/linear.hpp"

namespace dcsvm::linear {

/// Throws ParameterError, whose text starts with the parameter's name.
void check_params(const LinearParams& params, const LinearInputs& inputs);
/// Throws DataError for a start, columns x vectors row-major, that is not finite.
void check_start(const double* w, Index columns, Index vectors);

/// Whether LIBLINEAR's solver of that name works on w and not on dual variables: initial_w and regularize_bias = false belong to
/// these. By what method it is solved here is another question (solved_in_w() in method.hpp).
constexpr bool starts_from_w(LinearSolver s) { return traits_of(s).primal; }

}  // namespace dcsvm::linear
