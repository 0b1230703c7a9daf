// A model of clusters, from a training that stopped at a level.
#pragma once

#include "api/problem.hpp"
#include "models/build_model.hpp"
#include "multilevel/dc_svm.hpp"

namespace dcsvm::api {

/// An expansion for each cluster of the last level, and the router that finds a query's cluster. Takes the levels' router data.
models::ModelData early_model(const TrainingProblem& problem, const models::Solution& solution, const multilevel::Result& levels);

}  // namespace dcsvm::api
