// The multi-class SVM of Crammer and Singer.
#pragma once

#include <vector>

#include "linear/problem.hpp"

namespace dcsvm::linear {

struct MulticlassProblem {
  const Matrix* x = nullptr;         ///< what the passes read
  const Matrix* exact_x = nullptr;   ///< what the solution and the report are computed from
  Index classes = 0;
  std::vector<int> class_of;  ///< of each row
  std::vector<double> C;      ///< of each row
};

/// w: cols x classes row-major. Fills the report's objectives too.
Solution solve_proximal_classes(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context,
                                LinearProblemReport& report);
Solution solve_crammer_singer(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context,
                              LinearProblemReport& report);

}  // namespace dcsvm::linear
