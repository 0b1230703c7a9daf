// A start for problems with many more rows than columns: w of the same problem on an eighth of the rows, each with eight times
// its weight. Newton's first steps, far from the solution, then cost an eighth; the sample starts on a sample of its own.
#pragma once

#include <functional>
#include <vector>

#include "linear_fit/problem.hpp"

namespace dcsvm::linear_fit {

inline constexpr Index kSampleShare = 8;  ///< one row of so many

/// A row of each kSampleShare, of those that take part; empty where they are too few.
std::vector<Index> sample_rows(const Matrix& x, std::uint64_t seed, const std::function<bool(Index)>& takes_part);
/// For the solve of the sample.
SolveOptions loosened(const SolveOptions& options);

using SampleSolver = std::function<std::vector<Solution>(const std::vector<Problem>&, const SolveOptions&)>;

/// w of each problem, or nothing where there are too few rows. All problems are on the same X, and on the same sample, which
/// depends on options.seed alone.
std::vector<std::vector<double>> start_on_sample(const std::vector<Problem>& problems, const SolveOptions& options,
                                                 base::Context& context, const SampleSolver& solve);

}  // namespace dcsvm::linear_fit
