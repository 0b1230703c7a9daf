// The multi-class SVM of Crammer and Singer.
#pragma once

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

/// Of w, cols x classes row-major, and the dual variables, rows x classes. It confirms what is within the solution's limit: the
/// violation, and the gap as a share of what is achieved.
Certificate certificate(const MulticlassProblem& problem, const Solution& solution, base::ThreadPool& pool);

/// Whether w = 0 is the optimum, as far as the dual variables tell that share each row's price among its other classes: they are
/// feasible, and belong to the optimum where w = sum a_im x_i is 0 up to the rounding of that sum. False: it may still be.
bool zero_is_optimum(const MulticlassProblem& problem, base::ThreadPool& pool);
/// w = 0 with these variables.
Solution zero_solution(const MulticlassProblem& problem);

/// The augmented Lagrangian method is for few columns and at most kMostLanes classes; the descent for any.
Solution solve_multiclass_lagrangian(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context);
Solution solve_multiclass_descent(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context);

}  // namespace dcsvm::linear_fit
