// The solver of penalties with |w|_1.
#pragma once

#include <algorithm>

#include "linear_fit/problem.hpp"
#include "products/columns.hpp"

namespace dcsvm::linear_fit {

// Of Newton steps that are solved for by coordinate descent.
inline constexpr std::int64_t kMostInnerPasses = 200;  ///< a direction that is not solved for is still one of descent
inline constexpr double kMostMove = 10.0;       ///< of a decision, by one weight in one pass
inline constexpr double kGoodStep = 0.2;        ///< step length below which the damping grows

/// The damping after a step of length t, by Levenberg and Marquardt's rule: H is singular where few rows have a loss, and steps
/// along its null space are too long.
inline double damped(double damping, double least, double t, double mean_curvature) {
  if (t >= 1.0) return std::max(least, 0.2 * damping);
  return t < kGoodStep ? std::max(10.0 * damping, 1e-3 * mean_curvature) : damping;
}

/// columns: of X, or null where is_narrow(): then steps are found from the matrix X'DX.
Solution solve_l1(const Problem& problem, const products::Columns* columns, const SolveOptions& options, base::Context& context);

}  // namespace dcsvm::linear_fit
