// A solution whose accuracy does not depend on units.
//
// A violation is measured in the unit of the gradients, and so is tol: in margins (c_svc), in y (regressions), in weights times
// kernel values (one_class, nu_svc). Where the whole problem is small in that unit, because weights, targets, C or kernel values
// are, a violation below tol says little, and may be met before the first step. What no unit changes is the duality gap relative
// to what the training gained from w = 0 (Boyd and Vandenberghe 2004, section 5.5; the gap of an SVM: Bottou and Lin 2007):
//
//     (P - D) / (P(0) - D),   D = q'b - 1/2 b'Kb,   P(w) = 1/2 |w|^2 + min over t of [ t s + sum_i max over b_i of (q_i - t -
//     w'x_i) b_i ]
//
// where s is the sum that `equality` keeps (without it t = 0). With w = sum_j b_j x_j and g = q - K b
//
//     P - D    = max over feasible c of g'(c - b)                        0 at the optimum, at most violation x sum of the box
//     P(0) - D = 1/2 b'Kb + max over feasible c of q'(c - b)
//
// so both come from sorting what can still move. They scale alike when b is multiplied by one number and g by another.
#pragma once

#include "qp/solver.hpp"

namespace dcsvm::qp {

/// What is left to gain from `beta`, and what has been gained, and is left, since w = 0.
struct Gap {
  double left = 0;    ///< P - D >= 0
  double gained = 0;  ///< P(0) - D >= P - D, but for rounding
  /// left / gained; 0 where nothing was to be gained.
  double relative() const { return gained > 0 ? left / gained : 0.0; }
};
/// g: q - K beta. Where the gap is at most `small` of 1/2 b'Kb, which is less than what was gained, that will do for it.
Gap duality_gap(const Problem& problem, const double* beta, const double* g, double small = 0);

/// solve(), and where a solution that is accepted has a relative gap of more than allowed_gap tol, on from there with smaller
/// tolerances until the gap is at most tol, and a tenth of what is allowed; Result::tol is the last of them. The steps for this
/// are limited by a multiple of those before and of n: where they do not lead there, the result is the last whose violation is
/// below tol. Where tol is below the rounding of gradients in double, as with huge weights, the solve ends at that rounding, and
/// has stagnated unless it is below tol then. With Options::absolute, and with a `verify` that does not improve the solution, it
/// is the result of solve().
template <class T>
Result solve_to_scale(const kernel_matrix::RowSource<T>& source, const Problem& problem, const Options& options, double* beta,
                      double* gradient, base::Context& context, const Progress& progress = {});

}  // namespace dcsvm::qp
