// Vectors with an entry for each column that X declares, also for empty ones: where these are very many, they are what a training
// needs most memory for.
#pragma once

#include <cstddef>

#include "dcsvm/linear.hpp"

namespace dcsvm::linear {

/// What a solver of Form::rows holds at most for one problem, beside the weights of the model. few: X is small (method.hpp).
Index solver_vectors(const LinearParams& params, bool few);

inline double column_bytes(Index cols, Index vectors) noexcept {
  return static_cast<double>(sizeof(double)) * static_cast<double>(cols) * static_cast<double>(vectors);
}

/// Throws CapError where the weights of all classes and a solver's vectors are too many. Solvers of the multinomial model count
/// theirs themselves.
void check_columns(const LinearParams& params, Index cols, std::size_t classes, bool few, std::size_t cap_bytes);

}  // namespace dcsvm::linear
