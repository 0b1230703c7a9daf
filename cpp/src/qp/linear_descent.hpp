// A start for a problem with K = X X': coordinate descent on the weights w = sum b_i x_i, with steps of conjugate gradients.
//
// A step of one variable costs one row of X instead of a row of K: Hsieh, Chang, Lin, Keerthi, Sundararajan, A dual coordinate
// descent method for large-scale linear SVM (ICML 2008). The constraint that a group's sum is fixed becomes a multiplier and a
// penalty, f(b) + lambda s + sigma/2 s^2 with s the sum's excess, lambda moved after every pass (method of multipliers:
// Bertsekas, Constrained Optimization and Lagrange Multiplier Methods, 1982). After some passes the variables at their bounds are
// mostly known, and conjugate gradients on the others, projected back into the box, do what hundreds of passes would (More and
// Toraldo, On the solution of large quadratic programming problems with bound constraints, 1991).
#pragma once

#include "kernel_matrix/linear_rows.hpp"
#include "qp/solver.hpp"

namespace dcsvm::qp {

/// Improves the feasible start `beta`, whose sums stay as they are, until its violation should be below options.tol, or going on
/// promises little, or options.max_iter steps were taken. Adds its steps and seconds to `result`. diagonal: K(i, i) of each
/// variable.
void descend(const kernel_matrix::LinearRows& rows, const std::vector<double>& diagonal, const Problem& problem,
             const Options& options, double* beta, base::Context& context, const Progress& progress, Result& result);

}  // namespace dcsvm::qp
