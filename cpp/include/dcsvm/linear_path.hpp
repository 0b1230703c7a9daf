// Cross-validation of linear models, and LIBLINEAR's search for C (Chu, Ho, Tsai, Lin, Lin: Warm start for parameter selection of
// linear classifiers, KDD 2015). All folds share one copy of X.
#pragma once

#include <functional>
#include <vector>

#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/linear.hpp"

namespace dcsvm {

struct LinearFolds {
  std::vector<int> of_row;  ///< n: the fold 0, 1, ... of each row
  /// n rows, or empty: the classes of a fold's model are in the order in which these rows first name them, except that +1
  /// precedes -1 when there are just these two (LIBLINEAR's rule). It decides ties, such as those of rows without values, as
  /// predict does for models with LIBLINEAR's order. Empty: the classes are in the order of the model, whose rule for ties holds.
  std::vector<Index> order = {};
};

/// The folds 0 .. n_folds - 1 of n rows that LIBLINEAR draws in the first cross-validation of a process (from the C library's
/// rand(), here glibc's with its first seed). Throws ParameterError unless 2 <= n_folds <= n.
LinearFolds liblinear_folds(Index n, int n_folds);

/// out[i], i < n, is what predict returns for row i with a model trained without the rows of its fold. A class that a fold's
/// training rows lack is not predicted. Weights and classes act as in train_linear; inputs.initial_w is the start of every fold.
/// Throws what train_linear throws; Interrupted also when Hooks::progress returned true.
void cross_validate_linear(const DataView& x, const double* y, const LinearParams& params, const LinearFolds& folds, double* out,
                           const LinearInputs& inputs = {}, const Hooks& hooks = {});

/// What linear_path found for one C (and epsilon).
struct LinearPathPoint {
  double C = 0;
  double epsilon = 0;  ///< svr_squared
  double score = 0;  ///< of the held-out rows: the share of right labels; regression: the mean squared error
  bool at_largest_C = false;  ///< the values of C end here because the next would be beyond the largest
  std::vector<double> fold_scores = {};  ///< the same for each fold
  std::vector<double> fold_objectives = {};  ///< of each fold's training: the primal objective, classes summed
  std::vector<double> predictions = {};  ///< n, of the held-out rows, with LinearPathOptions::keep_predictions
};

struct LinearPathOptions {
  LinearFolds folds;
  /// The values of C, for every solver but one_class; regression: with params.epsilon. Empty: the search that linear_path
  /// describes.
  std::vector<double> C = {};
  bool keep_predictions = false;
  double start_C = 0;  ///< <= 0: the largest power of 2 at which the solution is still near 0, found from the data
  double start_epsilon = 0;  ///< svr_squared: the largest epsilon that is tried, rounded down to a step; <= 0: 19/20 max |y|
  std::function<void(const LinearPathPoint&)> visit = {};  ///< called for each point when it is known, on the calling thread
};

struct LinearPath {
  std::vector<LinearPathPoint> points;
  /// The first of the best scores. When no score is better than 0 (regression: than infinity) best_C is the last start of C.
  double best_C = 0, best_epsilon = 0, best_score = 0;
};

/// Cross-validates the values of options.C in their order, or C = start_C, 2 start_C, 4 start_C, ... up to 1024 (svr_squared:
/// 2^20), each training from the fold's solution for the C before; svr_squared: for 20 values of epsilon from start_epsilon down
/// to 0. The values of C end when five of them in a row would not change LIBLINEAR's w of any fold (more than 1500 columns, or
/// not fewer than rows: when for five in a row the solution for the C before met every fold's tolerance). This search is for
/// logistic, squared_hinge and svr_squared. Only solvers from the primal side and those with |w|_1 can start from another
/// solution. params.C is not read. Throws ParameterError for other solvers, else as cross_validate_linear.
LinearPath linear_path(const DataView& x, const double* y, const LinearParams& params, const LinearPathOptions& options,
                       const LinearInputs& inputs = {}, const Hooks& hooks = {});

}  // namespace dcsvm
