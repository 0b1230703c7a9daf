// Support vector regression. Drucker et al.: Support vector regression machines (1997); Schoelkopf et al.: New support vector
// algorithms (2000); Chang, Lin: LIBSVM (2011), sections 2.4 and 2.5.
//
//     epsilon-SVR  min 1/2 d'Kd + epsilon sum(a + a*) - y'd     0 <= a_i, a*_i <= C_i,  and sum d = 0 with a bias,   d = a - a*
//     nu-SVR       min 1/2 d'Kd - y'd                           0 <= a_i, a*_i <= C_i,  sum d = 0,  sum(a + a*) = nu sum C_i
//
// Variables 2i and 2i + 1 of the doubled rows are b = a_i in [0, C_i] and b = -a*_i in [-C_i, 0], so that d_i is their sum, and
// q = y_i - epsilon and y_i + epsilon (nu-SVR: y_i). nu-SVR: sum a = sum a* = nu sum C_i / 2, so each of the two is a group.
#pragma once

#include "svm/problems/binary_problem.hpp"

namespace dcsvm::svm {

/// problem: after BinaryProblem::set_targets, C_i > 0. problem.beta: d, the feasible start on entry and the solution on return.
/// result.bias is LIBSVM's -rho.
template <class T>
Solution solve_epsilon_svr(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, double epsilon, bool fit_intercept,
                           const qp::Options& options, base::Context& context, const Progress& progress = {});

/// problem.beta: on entry a start within the bounds that sums to 0 (zeros: LIBSVM's), which is brought to the other constraint.
template <class T>
Solution solve_nu_svr(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, double nu, const qp::Options& options,
                      base::Context& context, const Progress& progress = {});

}  // namespace dcsvm::svm
