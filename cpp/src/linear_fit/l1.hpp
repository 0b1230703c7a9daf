// The solver of |w|_1.
#pragma once

#include "linear_fit/problem.hpp"
#include "products/columns.hpp"

namespace dcsvm::linear_fit {

/// columns: of X, or null where is_narrow(): then steps are found from the matrix X'DX.
Solution solve_l1(const Problem& problem, const products::Columns* columns, const SolveOptions& options, base::Context& context);

}  // namespace dcsvm::linear_fit
