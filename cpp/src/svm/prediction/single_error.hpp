// How much float kernel values change a model's decision values.
#pragma once

#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// Whether decisions of a model that was not solved in float may be formed in float: where the estimated error is below
/// `negligible`, or, for rbf, where the measured one is 10 times below the usual tolerance.
bool decides_in_single(const ModelData& model, double negligible);

}  // namespace dcsvm::svm
