// F5: cascade SVM. Graf, Cosatto, Bottou, Durdanovic, Vapnik: Parallel Support Vector Machines: The Cascade SVM (NIPS 2004). The
// baseline that the DC-SVM paper compares with.
//
// The points are dealt to `leaves` parts. Each is solved alone; the support vectors of two parts are solved together, and so on
// up to the root. While points outside violate the root's solution, a further pass starts from parts that have the root's support
// vectors as well.
#pragma once

#include <functional>
#include <vector>

#include "svm/sampled/rand_svm.hpp"

namespace dcsvm::sampled {

/// Solves problems of these many points side by side: calls fn(j, context, progress) for each j; false: the host cancelled.
using RunSideBySide = std::function<bool(const std::vector<Index>& sizes, const Progress& progress, base::Context& context,
                                         const std::function<void(Index, base::Context&, const Progress&)>& fn)>;

struct CascadeOptions {
  Index leaves = 8;  ///< a power of two
  Index passes = 0;  ///< at most; 0: until no point violates
  double tol = 0;  ///< of the whole problem; parts are solved to a little less than half
  double accepted_tol = 0;  ///< as RandOptions'
  std::int64_t max_iter = -1;  ///< SMO steps of each part
  bool shrinking = true;
};

/// beta: of all points, a feasible start on entry and the solution on return. `rounds`: one for each pass, as rand_svm's.
/// stop_reason: converged; max_iter when the passes are used up; or as the solver.
template <class T>
SampledSolution cascade_svm(const PairData<T>& data, const CascadeOptions& options, std::vector<double>& beta,
                            const RunSideBySide& run, base::Context& context, Progress progress);

}  // namespace dcsvm::sampled
