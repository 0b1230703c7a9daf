// Solvers "rand" and "cascade": every pair of classes solved on samples of its rows.
#pragma once

#include <string>
#include <vector>

#include "svm/problems/training_problem.hpp"
#include "svm/sampled/whole_solution.hpp"

namespace dcsvm::svm {

/// Solves every pair, one after another. rows: of all points. coef: (k - 1) x n, the start on entry and the solution on return.
/// One solution for each pair in LIBSVM's order; `outcome` says in words what the solutions mean, for the report.
template <class T>
std::vector<sampled::SampledSolution> solve_sampled(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem,
                                                    const TrainParams& params, std::vector<double>& coef, base::Context& context,
                                                    std::string& outcome);

}  // namespace dcsvm::svm
