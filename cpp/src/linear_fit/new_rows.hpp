// Rows that come after others: what each of them adds to the weights when its dual variables take their best values once.
//
// w = sum a_i x_i holds all that the dual problem must know of earlier rows, whose a_i stay. A new row's variables begin at 0.
// The step that maximises the dual objective over them alone is the minimum of 1/2 |w - w_before|^2 + loss(w'x) over w, which
// lies in the direction of x: w = w_before + d x. A pass of the descents on the dual (dual_descent.cpp, multiclass_descent.cpp)
// that starts at 0 takes these steps.
#pragma once

#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "linear_fit/loss.hpp"
#include "linear_fit/problem.hpp"
#include "products/matrix.hpp"

namespace dcsvm::linear_fit {

/// A row with |x|^2 = q > 0 and the price C > 0: d of a loss of one decision z.
double new_row(Loss loss, double y, double z, double q, double C, double width);
/// d of the multinomial model, at the scores z[0 .. classes), for class y. The dual variables are d = C (e_y - p), p the
/// probabilities at the scores z + q d. room: as many numbers.
void new_row_of_softmax(const double* z, Index classes, int y, double q, double C, double* d, double* room);
/// d of Crammer and Singer's problem, likewise; z is used up.
void new_row_of_hinges(double* z, Index classes, int y, double q, double C, double* d);

enum class RowProblem { one_by_one, crammer_singer, softmax };  ///< of the vectors of weights: each for itself, or all in one

struct NewRows {
  const Matrix* x = nullptr;
  RowProblem problem = RowProblem::one_by_one;
  Loss loss = Loss::hinge;  ///< one_by_one
  double width = 0;  ///< half width of the tube without loss
  double bias = 0;   ///< value of the bias's feature, where x has one. In a step it counts for a part of |x|^2 alone
  Index vectors = 1;
  std::vector<double> y;    ///< targets; empty: classes
  std::vector<int> class_of;  ///< of each row; one vector: it is positive for class 0
  std::vector<double> C;      ///< of each row
  std::vector<double> factor;  ///< one_by_one, classes: of C where the class is the positive one of several vectors
};

/// Visits the rows once, in random order. w: columns x vectors row-major, to which they are added. The solution has why it ended,
/// as n_iter the rows that were visited, and as n_inner those that changed w, but not w.
Solution visit_new_rows(const NewRows& rows, std::vector<double>& w, std::uint64_t seed, base::Context& context);

}  // namespace dcsvm::linear_fit
