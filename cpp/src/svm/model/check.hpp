// Everything that prediction and Model rely on, checked after reading (a checksum does not stop someone who recomputes it).
#pragma once

#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// Throws ModelError ("model: section TAG: what") when sizes, ranges, orders or values of `model` do not fit together.
void check_model(const ModelData& model);

}  // namespace dcsvm::svm
