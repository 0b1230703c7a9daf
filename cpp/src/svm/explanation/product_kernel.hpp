// Kernels that are a product of one factor for each feature: K(x, y) = prod_j exp(log_factor(x_j - y_j)).
#pragma once

#include <cmath>
#include <string>

#include "dcsvm/errors.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm::svm {

/// use(log_factor) for such a kernel, log_factor(difference) <= 0 and 0 for no difference; ParameterError for another kernel.
template <class Use>
void with_log_factor(const KernelParams& kernel, const Use& use) {
  const double gamma = kernel.gamma;
  switch (kernel.type) {
    case KernelType::rbf: return use([gamma](double difference) { return -gamma * difference * difference; });
    case KernelType::laplacian: return use([gamma](double difference) { return -gamma * std::abs(difference); });
    case KernelType::linear:
    case KernelType::poly:
    case KernelType::sigmoid:
    case KernelType::precomputed:
    case KernelType::exponential:
    case KernelType::matern32:
    case KernelType::matern52:
    case KernelType::chi2:
    case KernelType::tanimoto: break;
  }
  throw ParameterError(std::string("explain: kernel ") + name_of(kernel.type) +
                       " is not a product over the features, for which alone Shapley values are known in polynomial time. Train "
                       "with kernel rbf or laplacian, or take decision_gradient or nearest_support_vectors of this model");
}

}  // namespace dcsvm::svm
