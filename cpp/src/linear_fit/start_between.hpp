// Where a solve along C starts: the best combination of the solutions for the C before.
#pragma once

#include <vector>

#include "linear_fit/problem.hpp"

namespace dcsvm::linear_fit {

/// Factors of these points, one for each, whose sum has about the least objective that any sum of them has, and not a larger one
/// than the last point. Costs no pass over X. The same bits for any number of threads.
std::vector<double> best_combination(const Problem& problem, const std::vector<SolvedPoint>& points, base::ThreadPool& pool);

}  // namespace dcsvm::linear_fit
