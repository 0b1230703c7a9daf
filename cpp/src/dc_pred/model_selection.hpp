// Model selection of DC-Pred++ under a budget: the numbers of leaves, landmarks and pseudo landmarks that err least on held-out
// rows, among those whose rows cost no more than the budget.
#pragma once

#include <functional>

#include "dcsvm/dc_pred.hpp"

namespace dcsvm::dc_pred {

struct SelectionTask {
  double budget = 0;  ///< inner products of n_features
  Index n = 0;  ///< rows of a trial, about: they limit the depth of its tree
  Index d = 0;
  Index outputs = 1;
  /// A model with params' n_leaves, n_landmarks and n_pseudo, of all rows or of those that are not held out.
  std::function<DcPredModel(const DcPredParams& params, bool all_rows)> train;
  /// Of the held-out rows. Null: there are too few rows to hold some out, and the first candidate is taken.
  std::function<double(const DcPredModel&)> error;
};

/// Leaves of a tree are not all equally deep, and some have one class: what a depth really costs is measured once, and landmarks
/// are chosen by that. `refine` may move landmarks into a poor local minimum, with more of them as well as with fewer: so fewer
/// are a candidate, too, and the chosen candidate is returned as it is when the same numbers on all rows do worse. The chosen
/// candidate is also tried with five times the steps of `refine`: landmarks that are few gain most from them. Throws
/// ParameterError when the budget does not allow two landmarks.
DcPredModel select_model(const SelectionTask& task, const DcPredParams& params);

/// Trains on rows with targets and weights (or null).
using Learn = std::function<DcPredModel(const DataView& x, const double* y, const double* sample_weight,
                                        const DcPredParams& params, const Hooks& hooks)>;

/// select_model() with a fifth of the rows held out, and at most 30,000 rows for each candidate. Only the last training, of all
/// rows, reports progress. Throws ParameterError, DataError.
DcPredModel train_within(const DcPredBudget& budget, const DataView& x, const double* y, const double* sample_weight,
                         bool regression, const DcPredParams& params, const Hooks& hooks, const Learn& learn);

}  // namespace dcsvm::dc_pred
