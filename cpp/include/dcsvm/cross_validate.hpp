// Cross-validation: predictions of rows by models that were trained without them, for one set of parameters or a grid of C and
// gamma. Folds and C values of one gamma share kernel rows, and each C starts from the solution of the C before it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/folds.hpp"
#include "dcsvm/params.hpp"
#include "dcsvm/train.hpp"

namespace dcsvm {

/// What cross_validate tries: every gamma with every C. An empty list stands for the one of TrainParams.
struct Grid {
  std::vector<double> C;      ///< > 0
  std::vector<double> gamma;  ///< > 0
};

/// What a cross-validation did.
struct CrossValidation {
  std::vector<double> C, gamma;     ///< of the grid, gamma resolved ("scale" and "auto": over all rows)
  Index n_fits = 0;                 ///< models: gammas x C values x folds
  Index n_unconverged = 0;          ///< those that stopped for another reason than convergence
  double violation = 0;             ///< largest KKT violation of all
  std::int64_t n_iter = 0;          ///< SMO steps
  std::int64_t n_kernel_values = 0;
  std::int64_t peak_cache_bytes = 0;
  std::map<std::string, double> seconds;  ///< "total"
  std::vector<Warning> warnings;    ///< about the data: "scale", "offset"
};

/// Columns that cross_validate writes for each held-out row.
Index held_out_columns(const double* y, Index n, const TrainParams& params, HeldOut what);

/// Trains on each fold's `train` rows and predicts its `test` rows, for every point of the grid.
/// out: n_gammas x n_C x (test rows of all folds, one fold behind the other) x held_out_columns, row-major.
/// Rows may be in several folds or none; within a fold `train` and `test` are disjoint and without repeats. A fold whose training
/// rows are of one class predicts that class, as LIBSVM does. Sample weights and class weights act as in train (balanced: of each
/// fold's training rows); test rows of weight 0 are predicted. Progress::done counts the solved problems of one gamma (phase
/// "solve"). Throws what train throws; ParameterError for an empty `folds`, folds that overlap or are out of range,
/// warm_start_alpha, and params.probability; Interrupted also when Hooks::progress returned true: part of a cross-validation is
/// of no use.
CrossValidation cross_validate(const DataView& x, const double* y, const TrainParams& params, const Grid& grid,
                               const std::vector<Fold>& folds, HeldOut what, double* out, const TrainInputs& inputs = {},
                               const Hooks& hooks = {});

/// svm_cross_validation: out[i], i < n, is the prediction for row i of a model trained without i's fold, one of the n_folds that
/// make_folds(y, n, n_folds, is classifier, params.seed) gives.
CrossValidation cross_validate(const DataView& x, const double* y, const TrainParams& params, int n_folds, double* out,
                               const TrainInputs& inputs = {}, const Hooks& hooks = {});

}  // namespace dcsvm
