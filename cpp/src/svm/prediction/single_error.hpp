// How much float kernel values change a model's decision values.
#pragma once

#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// Largest difference of a decision value between float and double kernel values, over up to 64 of the model's support vectors
/// as queries. An estimate, not a bound: callers keep a margin. Not for clustered models, nor a precomputed kernel.
double single_error(const ModelData& model);

}  // namespace dcsvm::svm
