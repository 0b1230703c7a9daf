// Solvers "rand" and "cascade": every pair of classes solved on samples of its rows, by the solver that others use for all rows.
#pragma once

#include "base/context.hpp"
#include "dcsvm/model.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm::svm {

/// No default: the compiler names a solver that is missing.
constexpr bool solves_samples(SolverType solver) {
  switch (solver) {
    case SolverType::rand:
    case SolverType::cascade: return true;
    case SolverType::automatic:
    case SolverType::smo:
    case SolverType::dc: break;
  }
  return false;
}

/// A training by one of these; without probabilities, which need further trainings.
template <class T>
Model train_sampled(const TrainingProblem& problem, const TrainParams& params, base::Context& context);

}  // namespace dcsvm::svm
