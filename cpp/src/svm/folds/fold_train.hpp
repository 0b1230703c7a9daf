// Cross-validation of anything that train() trains: one training for each fold and point of the grid, on a copy of its rows.
#pragma once

#include "base/context.hpp"
#include "data/summary.hpp"
#include "dcsvm/cross_validate.hpp"

namespace dcsvm::svm {

/// dcsvm::train as a piece of work of another call, whose state is kept at the place (null: it is not kept).
using TrainAt = Model (*)(const DataView&, const double*, const TrainParams&, const TrainInputs&, const Hooks&, base::Place*);

/// cross_validate by calls of `train`. y may be null for one_class. grid: C not empty. Each call starts threads of its own
/// while the context's pool is idle.
CrossValidation train_folds(const data::Summary& x, const double* y, const TrainParams& params, const Grid& grid,
                            const std::vector<Fold>& folds, HeldOut what, double* out, const double* sample_weight,
                            const Hooks& hooks, TrainAt train, base::Context& context);

}  // namespace dcsvm::svm
