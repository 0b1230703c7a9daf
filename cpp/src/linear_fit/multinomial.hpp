// The multinomial (softmax) logistic model: all classes in one problem.
//
//   min_W sum_m R(w_m) + sum_i C_i (log sum_m exp z_im - z_iy), z_im = w_m'x_i, y the row's class, R the penalty.
//
// With p_i the softmax of z_i the gradient of the losses is G = X'A, A_i = C_i (p_i - e_y), and their Hessian maps V to X'Q(XV),
// where Q takes a row's u_i to C_i (p_im (u_im - p_i'u_i))_m. The dual variables -A are feasible where every weight has a
// penalty with w^2, and the gap between them and W is the sum of R(w) + R*(-G) + G w over the weights, R* the conjugate: a
// certificate that costs nothing. R = 1/2 |w|^2: it is 1/2 |gradient|^2.
#pragma once

#include <vector>

#include "linear_fit/penalty.hpp"
#include "linear_fit/problem.hpp"
#include "products/columns.hpp"

namespace dcsvm::linear_fit {

struct MultinomialProblem {
  const Matrix* x = nullptr;        ///< what the passes of conjugate gradients read
  const Matrix* exact_x = nullptr;  ///< what the solution and the report are computed from
  /// Of x, for penalties with |w|, centred where the bias is free; null: none are made.
  const products::Columns* columns = nullptr;
  Index classes = 0;
  std::vector<int> class_of;  ///< of each row
  std::vector<double> C;      ///< of each row
  Penalty penalty;            ///< of each weight
  bool regularize_bias = true;

  Index rows() const { return exact_x->rows(); }
  Index cols() const { return exact_x->cols(); }
  /// Columns before the first whose weights are free: they are all others.
  Index penalized_cols() const { return penalty.none() ? 0 : regularize_bias || !exact_x->has_bias() ? cols() : cols() - 1; }
  Penalty of(Index j) const { return j < penalized_cols() ? penalty : Penalty{0.0, 0.0}; }
  /// Whether the slopes of the losses give feasible dual variables: a free weight demands that a sum of them is 0.
  bool has_dual() const { return penalized_cols() == cols(); }
  bool has_free_bias() const { return exact_x->has_bias() && penalized_cols() < cols(); }
};

/// Weights of columns less their centres are those of the columns as given, with other biases: calls use(place of a weight, of
/// its class's bias, the bias that one of the weight is worth) for every weight of a column that is centred. Places: in
/// columns x width.
template <class Use>
void each_centre(const MultinomialProblem& p, const products::Columns& columns, Index width, const Use& use) {
  for (const products::Columns::Centre& of : columns.centres()) {
    const double part = of.mean / p.exact_x->bias();
    for (Index m = 0; m < p.classes; ++m) use(of.column * width + m, (p.cols() - 1) * width + m, part);
  }
}

/// Subtracts from the weights of each column that is not regularised their mean over the classes: a constant in all of them
/// changes nothing, and which one a solve ends with is an accident of its steps. w: cols x classes row-major.
void center_free_weights(const MultinomialProblem& problem, std::vector<double>& w);

/// From the columns' side, for penalties without |w|: w: cols x classes row-major. options.start: null, or weights in that
/// layout. Fills the report too.
Solution solve_multinomial(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context,
                           LinearProblemReport& report);
/// The same for more columns than rows, from w = 0: w = X'B, and all vectors have an entry for each row. For R = 1/2 |w|^2.
Solution solve_multinomial_wide(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context,
                                LinearProblemReport& report);
/// The same for penalties with |w|.
Solution solve_multinomial_sparse(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context,
                                  LinearProblemReport& report);

}  // namespace dcsvm::linear_fit
