// What the coefficients and gradients of all variables say about a solution, and what several solves did together.
#pragma once

#include "base/thread_pool.hpp"
#include "qp/active_set.hpp"
#include "qp/solver.hpp"

namespace dcsvm::qp {

/// gradient := q - K beta. Returns the sum of |beta|: times RowSource::negligible() it bounds the error from left-out values.
template <class T>
double gradient_at(const kernel_matrix::RowSource<T>& source, const Problem& problem, const double* beta, std::size_t budget,
                   base::ThreadPool& pool, double* gradient);

/// The violation's ends, g = q - K beta.
GroupBounds bounds_of(const Problem& problem, const double* beta, const double* g);

/// The largest |q| and |g|.
double largest_gradient(const Problem& problem, const double* g);
/// How many numbers were added to a gradient, at most: strips of the changes of all steps, and of what it was formed from.
double most_additions(const Result& result, Index n);

/// f(beta), from g = q - K beta.
double objective_of(const Problem& problem, const double* beta, const double* g);

/// Fills in n_support, n_bounded, objective and the biases. Throws DataError when gradients, from kernel values of T, are not
/// finite.
template <class T>
void describe(const Problem& problem, const double* beta, const double* g, Result& result);

/// What two solves, one after the other, did together: the solution is that of the second, steps and seconds are added up.
Result joined(const Result& before, Result after);

}  // namespace dcsvm::qp
