// The multi-class SVM of Crammer and Singer.
#pragma once

#include <functional>
#include <vector>

#include "linear_fit/problem.hpp"

namespace dcsvm::linear_fit {

struct MulticlassProblem {
  const Matrix* x = nullptr;         ///< what the passes read
  const Matrix* exact_x = nullptr;   ///< what the solution and the report are computed from
  Index classes = 0;
  std::vector<int> class_of;  ///< of each row
  std::vector<double> C;      ///< of each row
};

/// A row's violation: the largest gradient over all its variables, which may fall without limit, less the smallest over those
/// that may grow; 0 where rounding alone may have made the difference.
double difference_of_gradients(double high, double low);

/// What a solver knows of weights w and dual variables a, which need not belong to each other.
struct MulticlassPoint {
  double norm = 0;       ///< 1/2 sum_m |w_m|^2
  double dual_norm = 0;  ///< the same of sum_i a_im x_i
  double residual = 0;   ///< the same of their differences
  /// Writes a row's scores w_m'x_i less [m = y_i], and its dual variables a_im.
  std::function<void(Index row, double* score, double* a)> row;
};
/// The objectives, the violation and the quality there; the report's counts are the solver's.
Certificate certificate(const MulticlassProblem& problem, const MulticlassPoint& point, base::ThreadPool& pool);

/// Whether w = 0 is the optimum, as far as the dual variables tell that share each row's price among its other classes: they are
/// feasible, and belong to the optimum where w = sum a_im x_i is 0 up to the rounding of that sum. False: it may still be.
bool zero_is_optimum(const MulticlassProblem& problem, base::ThreadPool& pool);
/// w and the report where it is.
void zero_solution(const MulticlassProblem& problem, std::vector<double>& w, LinearProblemReport& report);

/// w: cols x classes row-major. Fills the report too. The augmented Lagrangian method is for few columns and at most kMostLanes
/// classes; the descent for any.
Solution solve_multiclass_lagrangian(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context,
                                     LinearProblemReport& report);
Solution solve_multiclass_descent(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context,
                                  LinearProblemReport& report);

}  // namespace dcsvm::linear_fit
