// Probabilities for a trained model, from decision values of held-out rows, by LIBSVM's procedure.
#pragma once

#include "base/context.hpp"
#include "dcsvm/folds.hpp"
#include "dcsvm/model.hpp"
#include "kernel_matrix/row_source.hpp"
#include "svm/problems/training_problem.hpp"

namespace dcsvm::svm {

/// Sigmoids for the pairs of an exact classifier, on 5 stratified folds of the rows that take part; bounds are those of the whole
/// problem. `rows`: K of all rows. coef: the problem's solution, in the layout of TrainingProblem::start; a fold starts from what
/// it has of it (not nu_svc) and is solved to tol. Nothing (empty) when the host cancels.
template <class T>
Calibration calibrate_pairs(const kernel_matrix::RowSource<T>& rows, const TrainingProblem& problem, const TrainParams& params,
                            const std::vector<double>& coef, base::Context& context);

/// 5 folds, or as many as there are rows, of the rows that take part (class_of >= 0).
std::vector<Fold> calibration_folds(const std::vector<int>& class_of, bool stratified, std::uint64_t seed);
/// From what models of such folds say about their held-out rows, fold after fold: sigmoids on the decision values of a
/// classifier, one for each pair of the problem's classes; or from predictions the scale of a regression's error.
Calibration calibrate_held_out(const TrainingProblem& problem, const double* y, const std::vector<Fold>& folds,
                               std::vector<double> held_out);

/// Density marks of a one-class model from its decisions on the training rows; empty when too few of them are on one side.
Calibration calibrate_one_class(std::vector<double> decisions);

}  // namespace dcsvm::svm
