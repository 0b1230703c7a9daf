// A start for problems with many more rows than columns: w of the same problem on an eighth of the rows, each with eight times
// its weight. Newton's first steps, far from the solution, then cost an eighth; the sample starts on a sample of its own.
#pragma once

#include <functional>
#include <vector>

#include "linear/problem.hpp"

namespace dcsvm::linear {

using SampleSolver = std::function<Solution(const Problem&, const SolveOptions&)>;

/// w, or empty where there are too few rows. The sample depends on options.seed alone.
std::vector<double> start_on_sample(const Problem& problem, const SolveOptions& options, base::Context& context,
                                    const SampleSolver& solve);

}  // namespace dcsvm::linear
