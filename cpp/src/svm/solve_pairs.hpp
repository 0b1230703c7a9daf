// Solves every binary problem of a training on all its points.
#pragma once

#include <vector>

#include "svm/problems/solve_binary.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm::svm {

/// Solves each pair of classes, or the only problem of a formulation without classes. rows: of all points. coef: (k - 1) x n, the
/// start on entry and the solution on return. peak_bytes is raised to what was held at once. One solution for each pair in
/// LIBSVM's order. When the host cancels, the pairs that did not start are measured where they are.
template <class T>
std::vector<Solution> solve_pairs(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem,
                                  const FormulationParams& params, const qp::Options& options, std::vector<double>& coef,
                                  base::Context& context, std::int64_t& peak_bytes);

}  // namespace dcsvm::svm
