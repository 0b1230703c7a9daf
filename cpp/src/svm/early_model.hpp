// The model of a training that stopped at a level: one expansion for each cluster.
#pragma once

#include "svm/model/build_model.hpp"
#include "svm/multilevel/dc_svm.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm::svm {

/// An expansion for each cluster of the last level, and the router that finds a query's cluster.
ModelData early_model(const TrainingProblem& problem, const OneVsOneSolution& solution, const multilevel::Result& levels);

}  // namespace dcsvm::svm
