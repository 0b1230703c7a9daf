// The linear one-class SVM.
#pragma once

#include <vector>

#include "linear_fit/problem.hpp"

namespace dcsvm::linear_fit {

/// rows: those that take part, at least one. Fills rho and the report's objectives.
Solution solve_one_class(const Matrix& x, const std::vector<Index>& rows, double nu, const SolveOptions& options,
                         base::Context& context, LinearProblemReport& report);

}  // namespace dcsvm::linear_fit
