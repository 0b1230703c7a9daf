// F7: formulations without classes: one problem over all rows that take part.
#pragma once

#include <vector>

#include "api/problem.hpp"
#include "formulations/solution.hpp"

namespace dcsvm::api {

/// Solves one_class, epsilon_svr or nu_svr. coef: n values, the start on entry (one_class and nu_svr: zeros for the formulation's
/// own) and the solution on return, 0 for rows that take no part. order: the points in the order in which the problem lists
/// them, or null.
template <class T>
formulations::Solution solve_one_problem(const rows::RowSource<T>& rows, const TrainingProblem& problem,
                                         const TrainParams& params, const std::vector<Index>* order,
                                         const solver::Options& options, std::vector<double>& coef, base::Context& context,
                                         const Progress& progress);

}  // namespace dcsvm::api
