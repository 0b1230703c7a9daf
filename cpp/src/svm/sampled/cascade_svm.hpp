// Cascade SVM. Graf, Cosatto, Bottou, Durdanovic, Vapnik: Parallel Support Vector Machines: The Cascade SVM (NIPS 2004). The
// baseline that the DC-SVM paper compares with.
//
// The points are dealt to `n_parts` parts. Each is solved alone; the support vectors of two parts are solved together, and so on
// until one part is left. While points outside violate its solution, a further pass starts from parts that have its support
// vectors as well.
#pragma once

#include <vector>

#include "svm/sampled/whole_solution.hpp"

namespace dcsvm::sampled {

struct CascadeOptions : SampledOptions {
  Index n_parts = 8;  ///< a power of two
  Index passes = 0;   ///< at most; 0: until no point violates
};

/// beta: of all points, a feasible start on entry and the solution on return. `rounds`: one for each pass, as RandSVM's.
/// stop_reason: converged; max_iter when the passes are used up; or as the solver.
template <class T>
SampledSolution cascade_svm(const WholeProblem<T>& problem, const CascadeOptions& options, std::vector<double>& beta,
                            base::Context& context, const Progress& progress);

}  // namespace dcsvm::sampled
