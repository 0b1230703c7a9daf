// A training as a piece of work of another call.
#pragma once

#include "base/checkpoint.hpp"
#include "dcsvm/train.hpp"

namespace dcsvm::svm {

/// dcsvm::train. place: where its state is kept, in the checkpoint of the call that it belongs to; null: as `inputs` say.
Model train_at(const DataView& x, const double* y, const TrainParams& params, const TrainInputs& inputs, const Hooks& hooks,
               base::Place* place);

}  // namespace dcsvm::svm
