// RandSVM. Krishnan, Bhattacharyya, Hariharan: A Randomized Algorithm for Large Scale Support Vector Learning (NIPS 2007),
// Algorithm 1.
//
//     S = r random points; solve S; while points outside S violate the margin and |SV| < k: S = SV and r - |SV| violators, solve
//
// Violators are looked for part by part, in a random order of the points, until there are enough for the next sample. Each solve
// starts from the coefficients at hand, so the dual objective falls from round to round. Without violators the solution is that
// of the whole problem; with |SV| >= k it is near-optimal with high probability (Theorem 3).
#pragma once

#include <vector>

#include "svm/sampled/whole_solution.hpp"

namespace dcsvm::sampled {

/// k of Eq. (4): the smallest whole number >= 16 / epsilon^2 log(4 n / delta), at least 2.
Index support_estimate(Index n, double epsilon, double delta);

struct RandOptions : SampledOptions {
  Index k = 0;          ///< estimate of the number of support vectors, >= 2
  Index r = 0;          ///< points of a sample, >= k
  Index part_rows = 0;  ///< points that are looked at together, roughly; 0: chosen
};

/// beta: of all points, the feasible start on entry and the solution on return; its non-zeros are in the first sample. objective
/// and violation are of the whole problem. stop_reason: converged, support_limit (then the points outside the last sample were
/// not looked at, and the violation is infinity: not known), or as the solver.
template <class T>
SampledSolution rand_svm(const WholeProblem<T>& problem, const RandOptions& options, std::vector<double>& beta,
                         base::Context& context, const Progress& progress);

}  // namespace dcsvm::sampled
