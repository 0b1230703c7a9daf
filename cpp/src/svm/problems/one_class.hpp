// The one-class problem. Schoelkopf et al.: Estimating the support of a high-dimensional distribution (2001);
// Chang, Lin: LIBSVM (2011), section 2.3.
//
//     min 1/2 a'Ka,  0 <= a_i <= w_i,  sum a = nu sum w          b = a, q = 0
#pragma once

#include "svm/problems/binary_problem.hpp"

namespace dcsvm::svm {

/// Makes sum alpha = nu sum w within the bounds: free points first, then the others, in order. From zeros this is LIBSVM's start.
void reach_sum(const double* weight, Index n, double nu, double* alpha);

/// problem: with w_i > 0 as bounds, all of label +1. problem.beta: the feasible start on entry and the solution on return.
/// result.bias is LIBSVM's -rho with Options::absolute; else that at which no row below its bound is outside.
template <class T>
Solution solve_one_class(const kernel_matrix::RowSource<T>& rows, BinaryProblem& problem, const qp::Options& options,
                         base::Context& context, const Progress& progress = {});

}  // namespace dcsvm::svm
