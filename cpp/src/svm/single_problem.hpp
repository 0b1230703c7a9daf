// F7: formulations without classes: one problem over all rows that take part.
#pragma once

#include <vector>

#include "svm/problems/solution.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm::svm {

/// Solves one_class, epsilon_svr or nu_svr. coef: n values, the start on entry (one_class and nu_svr: zeros for the formulation's
/// own) and the solution on return, 0 for rows that take no part. order: the points in the order in which the problem lists
/// them, or null.
template <class T>
Solution solve_one_problem(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem, const TrainParams& params,
                           const std::vector<Index>* order, const qp::Options& options, std::vector<double>& coef,
                           base::Context& context, const Progress& progress);

}  // namespace dcsvm::svm
