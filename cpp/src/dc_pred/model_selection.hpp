// Model selection of DC-Pred++ under a budget: the numbers of leaves, landmarks and pseudo landmarks that err least on held-out
// rows, among those whose rows cost no more than the budget.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "dcsvm/dc_pred.hpp"

namespace dcsvm::dc_pred {

/// Of held-out rows: of all, and of every other one.
struct HeldOutError {
  double whole = 0;
  std::array<double, 2> half{};
};

struct SelectionTask {
  double budget = 0;  ///< inner products of n_features
  Index n = 0;  ///< rows of a trial, about: they limit the depth of its tree
  Index d = 0;
  Index outputs = 1;
  /// A model with params' n_leaves, n_landmarks and n_pseudo, of all rows or of those that are not held out; its landmarks are
  /// centres, with Landmarks::support the support vectors that the budget allows.
  std::function<DcPredModel(const DcPredParams& params, bool all_rows)> train;
  bool centres = true, support = false;  ///< which may be candidates
  /// Of the held-out rows. Null: there are too few rows to hold some out, and the first candidate is taken.
  std::function<HeldOutError(const DcPredModel&)> error;
};

/// Leaves of a tree are not all equally deep, and some have one class: what a depth really costs is measured once, and landmarks
/// are chosen by that. `refine` may move landmarks into a poor local minimum, with more of them as well as with fewer: so fewer
/// are a candidate, too, and the chosen candidate is returned as it is when the same numbers on all rows do worse. The chosen
/// centres are also tried with five times the steps of `refine`: landmarks that are few gain most from them. Support vectors are
/// tried in trees that may be deeper, since nothing is fitted to a leaf's rows. Of centres there are more candidates, so the best
/// of them looks better than it is; each kind is therefore judged by what its candidate that errs least on one half of the
/// held-out rows errs on the other half, both ways. Throws ParameterError when the budget does not allow two landmarks.
DcPredModel select_model(const SelectionTask& task, const DcPredParams& params);

/// Where train_within has exact models from, whose support vectors can be landmarks.
class ExactModels {
 public:
  /// Support vectors are no candidates.
  static ExactModels none() { return {}; }
  /// Trained on the rows of a candidate (exact_svm).
  static ExactModels of_rows() { return ExactModels(true, nullptr); }
  /// This one, for every candidate; it must stay.
  static ExactModels given(const Model& model) { return ExactModels(true, &model); }

  bool possible() const { return possible_; }
  const Model* model() const { return model_; }  ///< null: none, or of_rows

 private:
  ExactModels() = default;
  ExactModels(bool possible, const Model* model) : possible_(possible), model_(model) {}
  bool possible_ = false;
  const Model* model_ = nullptr;
};

/// select_model() with a fifth of the rows held out, and at most 30,000 rows for each candidate. Only the last training, of all
/// rows, reports progress. An exact model is trained once for all candidates; where its memory (cache_size) does not suffice,
/// centres alone are candidates of Landmarks::automatic. Throws ParameterError, DataError, CapError.
DcPredModel train_within(const DcPredBudget& budget, const DataView& x, const double* y, const double* sample_weight,
                         bool regression, const DcPredParams& params, const Hooks& hooks, const ExactModels& exact_models);

}  // namespace dcsvm::dc_pred
