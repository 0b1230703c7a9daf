// F7: all folds and C values of a pair of classes, solved on the rows near the margin, which they share.
#pragma once

#include <functional>
#include <vector>

#include "base/buffer.hpp"
#include "svm/folds/fold_solver.hpp"

namespace dcsvm::cross_validation {

/// Rows of a pair from which solve_on_margin pays.
constexpr Index kMarginFrom = 4000;

/// What solve_fold_pair computes, for every fold: done(fold, s, decisions, result), each once, on any thread but one at a time.
/// Most rows are support vectors in no fold and for no C. A loose solution of all rows says which may be (the working sample of
/// Balcazar, Dai, Watanabe; docs/developers/performance.md); all folds and C values are solved on those, from kernel values kept
/// once, and then meet the other rows together: a kernel value of a support vector is computed once for all. Rows that violate
/// the conditions of some solution by options.tol join, until none does, so every solution is one of the fold's whole problem.
/// For c_svc. Returns false, without a call of done, when the host cancelled or nothing is gained: too many rows are near the
/// margin for context.cap_bytes, or rows keep joining. `memory` is that of kept rows, for the next call to use again.
template <class T>
bool solve_on_margin(const kernel_matrix::RowSource<T>& rows, const svm::FoldedClasses& folded, Index a, Index b,
                     const std::vector<double>& scales, const TrainParams& params, const qp::Options& options,
                     base::Context& context, const Progress& progress, base::Buffer<T>& memory,
                     const std::function<void(Index, std::size_t, const double*, const qp::Result&)>& done);

}  // namespace dcsvm::cross_validation
