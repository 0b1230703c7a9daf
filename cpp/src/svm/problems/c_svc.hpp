// F4: C-SVC as the solver's problem. Cortes, Vapnik: Support-vector networks (1995); Chang, Lin: LIBSVM (2011), section 2.
//
//     min 1/2 a'Qa - e'a,  0 <= a_i <= C_i,  and y'a = 0 with a bias,   Q_ij = y_i y_j K_ij
//
// With b_i = y_i a_i: q_i = y_i, box [0, C_i] for y_i = +1 and [-C_i, 0] for y_i = -1; the objective is the same number.
#pragma once

#include <cstdint>

#include "svm/problems/solution.hpp"

namespace dcsvm::svm {

/// One binary problem over all points of `rows`. sign: +1 / -1 per point; upper: C_i >= 0; beta: n values y_i alpha_i, the
/// feasible start on entry and the solution on return. result.bias is LIBSVM's -rho for class +1. gradient: n values y - K beta
/// at the start (options.gradient_given) and on return, or null.
template <class T>
Solution solve_pair(const kernel_matrix::RowSource<T>& rows, const std::int8_t* sign, const double* upper, bool fit_intercept,
                    const qp::Options& options, double* beta, base::Context& context, const Progress& progress = {},
                    double* gradient = nullptr);

}  // namespace dcsvm::svm
