// Which solver solver="auto" uses.
#pragma once

#include <string>

#include "base/context.hpp"
#include "kernel_matrix/row_source.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm::svm {

struct Choice {
  SolverType solver = SolverType::smo;
  std::string reason;  ///< for the report
  bool dc() const { return solver == SolverType::dc; }
};

const char* name_of(SolverType solver);

/// docs/developers/performance.md has the measurements behind the choice. rows: of the whole problem.
template <class T>
Choice choose_solver(const TrainingProblem& problem, const TrainParams& params, const kernel_matrix::RowSource<T>& rows,
                     base::Context& context);

}  // namespace dcsvm::svm
