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

/// A measured error that does not matter: 10 times below the usual tolerance.
inline constexpr double kLargestMeasured = 8e-5;
/// Whether decisions of a model that was solved to tol may be formed in float, as far as is known without a solve in float.
bool decides_in_single(const ModelData& model, double tol);

}  // namespace dcsvm::svm
