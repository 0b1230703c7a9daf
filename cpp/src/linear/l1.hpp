// The solver of |w|_1.
#pragma once

#include "linear/columns.hpp"
#include "linear/problem.hpp"

namespace dcsvm::linear {

/// columns: of X, or null where few_columns(): then steps are found from the matrix X'DX.
Solution solve_l1(const Problem& problem, const Columns* columns, const SolveOptions& options, base::Context& context);

}  // namespace dcsvm::linear
