// nu-SVC. Schoelkopf et al.: New support vector algorithms (2000); Chang, Lin: Training nu-support
// vector classifiers (2001), LIBSVM (2011), section 2.2.
//
//     min 1/2 a'Qa,  0 <= a_i <= w_i,  y'a = 0,  sum a = nu sum w,   Q_ij = y_i y_j K_ij
//
// With b_i = y_i a_i: q = 0, box [0, w_i] for y_i = +1 and [-w_i, 0] for -1, and both signs keep their sum: they are the groups.
// At the solution y_i (sum_j b_j K_ij + bias) = r for free i; dividing by the margin r gives C-SVC's scale (with C = 1 / r).
#pragma once

#include "svm/problems/binary_problem.hpp"

namespace dcsvm::svm {

/// problem: with w_i as bounds. problem.beta: on entry a start of any scale (zeros: LIBSVM's), which is brought to the
/// constraints; y_i alpha_i / r on return, as LIBSVM also where the margin r is negative. Bias and objective are scaled likewise.
/// With a margin of 0, or so small that 1 / r^2 is infinite, nothing is scaled.
template <class T>
Solution solve_nu_svc(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, double nu, const qp::Options& options,
                      base::Context& context, const Progress& progress = {});

}  // namespace dcsvm::svm
