// Trainings of the folds of a cross-validation, from one value of C to the next: rows of a fold have weight 0, so that all of
// them share one copy of X.
#pragma once

#include <vector>

#include "base/call.hpp"
#include "dcsvm/linear_path.hpp"
#include "linear/training.hpp"

namespace dcsvm::linear {

/// The rows of a fold, and what is trained without them.
struct FoldTraining {
  std::vector<Index> held_out;
  std::vector<double> weight;  ///< 0 for held-out rows
  LinearLabels labels;         ///< with the classes of the other rows only
  std::vector<double> w;       ///< of the last training; empty before the first
  double objective = 0;        ///< likewise
  std::vector<Path> paths;     ///< of its problems, where they are solved along C; else empty
};

/// The largest |x_i|^2.
double largest_norm2(const TrainingData& data);

class Folds {
 public:
  /// Throws ParameterError and DataError: what train_linear would, and what is wrong with the folds.
  Folds(const DataView& x, const double* y, const LinearParams& params, const LinearFolds& folds, const LinearInputs& inputs,
        const Hooks& hooks);

  LinearParams& params() { return params_; }
  const TrainingData& data() const { return data_; }
  const std::vector<FoldTraining>& all() const { return folds_; }
  /// The next training starts anew.
  void forget();

  /// Trains every fold from its last w, and predicts its rows. Returns whether a w was moved.
  bool run(double* out);

 private:
  void make_paths();
  template <class FoldJob>
  bool any_moved(const FoldJob& fold_job);
  bool run_fold(FoldTraining& fold, double* out, base::Context& context) const;
  const double* known_decisions(const LinearData& model, const FoldTraining& fold, Index k) const;
  void predict_held_out(const LinearData& model, const FoldTraining& fold, double* out) const;

  LinearParams params_;
  const LinearInputs& inputs_;
  base::Call call_;
  TrainingData data_;
  std::vector<FoldTraining> folds_;
};

}  // namespace dcsvm::linear
