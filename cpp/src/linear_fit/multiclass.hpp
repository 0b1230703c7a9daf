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

/// Whether w = 0 is the optimum, as far as the dual variables tell that share each row's price among its other classes: they are
/// feasible, and belong to the optimum where w = sum a_im x_i is 0 up to the rounding of that sum. False: it may still be.
bool zero_is_optimum(const MulticlassProblem& problem, base::ThreadPool& pool);
/// w and the report where it is.
void zero_solution(const MulticlassProblem& problem, std::vector<double>& w, LinearProblemReport& report);

/// w: cols x classes row-major. Fills the report's objectives too.
Solution solve_multiclass_lagrangian(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context,
                                     LinearProblemReport& report);
Solution solve_multiclass_descent(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context,
                                  LinearProblemReport& report);

}  // namespace dcsvm::linear_fit
