// Kernels that are a product of one factor for each feature: K(x, y) = prod_j exp(log_factor(x_j - y_j)).
#pragma once

#include <string>
#include <type_traits>

#include "dcsvm/errors.hpp"
#include "kernel_functions/all.hpp"
#include "svm/explanation/kernels_that.hpp"

namespace dcsvm::svm {

/// use(log_factor) for such a kernel, log_factor(difference) <= 0 and 0 for no difference; ParameterError for another kernel.
template <class Use>
void with_log_factor(const KernelParams& kernel, const Use& use) {
  kernels::with_kernel(kernel, [&](const auto& k) {
    using K = std::decay_t<decltype(k)>;
    if constexpr (K::kProduct) {
      use([gamma = kernel.gamma](double difference) { return K::log_factor(gamma, difference); });
    } else {
      throw ParameterError(
          std::string("explain: kernel ") + name_of(kernel.type) +
          " is not a product over the features, for which alone Shapley values are known in polynomial time. Train with kernel " +
          kernels_that([](const auto& other) { return other.kProduct; }) +
          ", or take decision_gradient or nearest_support_vectors of this model");
    }
  });
}

}  // namespace dcsvm::svm
