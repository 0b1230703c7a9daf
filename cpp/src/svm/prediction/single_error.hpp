// How much float kernel values change a model's decision values.
#pragma once

#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// Largest difference of a decision value between float and double kernel values, over up to 64 of the model's support vectors
/// as queries. An estimate, not a bound: callers keep a margin. Not for clustered models, nor a precomputed kernel.
double single_error(const ModelData& model);
/// About the same without computing values: sqrt(sum coef^2) of a pair times the rounding error of K in float. For rbf, most of
/// whose values are small, it is far too large.
double estimated_single_error(const ModelData& model);

/// Whether decisions of a model that was not solved in float may be formed in float: where the estimated error is below
/// `negligible`, or, for rbf, where the measured one is 10 times below the usual tolerance.
bool decides_in_single(const ModelData& model, double negligible);

}  // namespace dcsvm::svm
