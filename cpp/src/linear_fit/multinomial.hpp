// The multinomial (softmax) logistic model: all classes in one problem.
//
//   min_W 1/2 sum_m |w_m|^2 + sum_i C_i (log sum_m exp z_im - z_iy), z_im = w_m'x_i, y the row's class.
//
// With p_i the softmax of z_i the gradient is W + X'A, A_i = C_i (p_i - e_y), and the Hessian maps V to V + X'R(XV), where R
// takes a row's u_i to C_i (p_im (u_im - p_i'u_i))_m. The dual variables -A are always feasible where every weight is
// regularised, and the gap between them and W is 1/2 |gradient|^2: a certificate that costs nothing.
#pragma once

#include <vector>

#include "linear_fit/multiclass.hpp"

namespace dcsvm::linear_fit {

struct MultinomialProblem {
  const Matrix* x = nullptr;        ///< what the passes of conjugate gradients read
  const Matrix* exact_x = nullptr;  ///< what the solution and the report are computed from
  Index classes = 0;
  std::vector<int> class_of;  ///< of each row
  std::vector<double> C;      ///< of each row
  bool penalty = true;        ///< false: the losses alone
  bool regularize_bias = true;

  Index rows() const { return exact_x->rows(); }
  Index cols() const { return exact_x->cols(); }
  bool regularized(Index j) const { return penalty && (regularize_bias || j < exact_x->features() || !exact_x->has_bias()); }
  /// Columns before the first that is not regularised.
  Index regularized_cols() const { return !penalty ? 0 : regularized(cols() - 1) ? cols() : cols() - 1; }
};

/// Subtracts from the weights of each column that is not regularised their mean over the classes: a constant in all of them
/// changes nothing, and which one a solve ends with is an accident of its steps. w: cols x classes row-major.
void center_free_weights(const MultinomialProblem& problem, std::vector<double>& w);

/// From the columns' side: w: cols x classes row-major. options.start: null, or weights in that layout. Fills the report too.
Solution solve_multinomial(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context,
                           LinearProblemReport& report);
/// The same for more columns than rows, from w = 0: w = X'B, and all vectors have an entry for each row. For a penalty.
Solution solve_multinomial_wide(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context,
                                LinearProblemReport& report);

}  // namespace dcsvm::linear_fit
