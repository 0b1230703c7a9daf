// Whether a solution is one, judged in double.
//
// A float kernel value is rounded by about 2^-24 of its size, so a gradient g = q - K b is wrong by about 2^-24 |b|_2 max|K|:
// much at a large C with many support vectors. judge.hpp bounds that error for every variable; the gradients of those that may
// decide the KKT violation within the bound are computed in double, which shows whether it is below the tolerance. When it is
// not, the solve goes on from there with the corrected gradients: first with float kernel values, whose errors now enter only
// with what changes from here on (iterative refinement, as in Higham 2002, chapter 12), then, where that does not help, in
// double.
//
// With a linear kernel a gradient in double is one product with the weights, so all are formed anew.
//
// A solve in double is judged by a gradient that is formed anew, unless the one that it has updated is known to give all digits
// of its report. Let R be the bound of what rounding leaves in a gradient in double that is formed at once (error_bound.hpp). A
// solution, of a solve with float values too, is accepted where the violation and 2 R are below tol together; a 2 R of less than
// a fiftieth of tol counts as 0, so that the violation is below 1.02 tol. Otherwise the solve goes on, at most three times and
// while each try halves the violation. Where the violation is below tol but 2 R is more than half of tol nobody can tell, and it
// ends as stagnated. A reported violation may be wrong by 2 R. Of a linear kernel's products with the weights no such bound is
// known: they are taken as they are.
#pragma once

#include <limits>

#include "qp/solver.hpp"

namespace dcsvm::qp {

/// Where kernel values of T are too inexact to go on.
struct PrecisionLimits {
  double largest_square = std::numeric_limits<double>::infinity();  ///< of sum beta^2
  double noise = 0;  ///< times the 2-norm of beta: a violation below it is rounding
  bool ends_long = false;  ///< a solve of many steps ends: it needs tiles in double
};

/// The block decomposition alone, in the precision of `source`, as solve() says. Stops as stagnated at the limits of that
/// precision. path: how far each coefficient has gone since the gradient was handed over, of which its origins say what came
/// before; steps that are taken here are added. Where the gradient is formed anew, it begins with |beta|.
template <class T>
Result solve_blocks(const kernel_matrix::RowSource<T>& source, const Problem& problem, const Options& options, double* beta,
                    double* gradient, double* path, base::Context& context, const Progress& progress,
                    const PrecisionLimits& limits);

}  // namespace dcsvm::qp
