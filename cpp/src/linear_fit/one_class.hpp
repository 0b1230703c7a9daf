// The linear one-class SVM.
#pragma once

#include <vector>

#include "linear_fit/problem.hpp"

namespace dcsvm::linear_fit {

struct OneClassProblem {
  const Matrix* x = nullptr;
  std::vector<Index> rows;  ///< those that take part, at least one
  double nu = 0.5;
};

/// Of w, rho and the dual variables, of which w is the sum.
Certificate certificate(const OneClassProblem& problem, const Solution& solution, base::ThreadPool& pool);

Solution solve_one_class(const OneClassProblem& problem, const SolveOptions& options, base::Context& context);

}  // namespace dcsvm::linear_fit
