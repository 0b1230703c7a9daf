// Probabilities for a trained model, from decision values of held-out rows, by LIBSVM's procedure.
#pragma once

#include "base/context.hpp"
#include "dcsvm/predict.hpp"
#include "kernel_matrix/row_source.hpp"
#include "svm/folds/fold_train.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm::svm {

/// Sigmoids for the pairs of an exact classifier, on 5 stratified folds of the rows that take part; bounds are those of the whole
/// problem. `rows`: K of all rows. coef: the problem's solution, in the layout of TrainingProblem::start; a fold starts from what
/// it has of it (not nu_svc) and is solved to tol. Nothing (empty) when the host cancels.
template <class T>
Calibration calibrate_pairs(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem, const TrainParams& params,
                            const std::vector<double>& coef, base::Context& context);

/// By 5 further calls of `train`: sigmoids on the decision values of an early model, or the scale of a regression's error.
Calibration calibrate_by_training(const TrainingProblem& problem, const double* y, const TrainParams& params,
                                  const double* sample_weight, const Hooks& hooks, TrainAt train, base::Context& context);

/// Density marks of a one-class model on its training rows; empty when too few of them are on one side.
Calibration calibrate_one_class(const Model& model, const DataView& x, const PredictOptions& options);

}  // namespace dcsvm::svm
