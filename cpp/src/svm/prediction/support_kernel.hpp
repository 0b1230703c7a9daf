// Kernel values between queries and a model's support vectors.
#pragma once

#include <memory>
#include <numeric>

#include "kernel_matrix/kernel_values.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

inline Index n_support(const Expansion& e) { return std::accumulate(e.n_sv.begin(), e.n_sv.end(), Index{0}); }

/// Columns: support vectors [first, first + n) of the model. Points are packed here; a precomputed kernel's values are picked
/// from the queries' columns `support`.
template <class T>
std::unique_ptr<kernel_matrix::KernelValues<T>> support_kernel(const ModelData& model, Index first, Index n) {
  if (model.kernel.type == KernelType::precomputed) {
    const auto begin = model.support.begin() + first;
    return kernel_matrix::given_kernel<T>({begin, begin + n}, model.n_train);
  }
  return kernel_matrix::points_kernel<T>(model.points.view(), first, n, model.kernel);
}

}  // namespace dcsvm::svm
