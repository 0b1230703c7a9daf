// How much float kernel values change what a model decides.
#pragma once

#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// Largest difference of a decision value between float and double kernel values, over up to 64 of the model's support vectors
/// as queries; of a bound's size only by chance, so callers keep a margin. Not for clustered models, nor a precomputed kernel.
double single_error(const ModelData& model);

}  // namespace dcsvm::svm
