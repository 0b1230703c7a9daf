// Kernel values between queries and a model's support vectors.
#pragma once

#include <memory>
#include <numeric>

#include "kernel_matrix/kernel_values.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

inline Index n_support(const Expansion& e) { return std::accumulate(e.n_sv.begin(), e.n_sv.end(), Index{0}); }

/// Columns: the support vectors of a cluster, or of the whole model (PackedSupport::kWhole). Points are packed by the first
/// prediction that needs them and kept with the model; a precomputed kernel's values are picked from the queries' columns
/// `support`.
template <class T>
PackedSupport::Values<T> support_kernel(const ModelData& model, Index part) {
  return model.packed.get<T>(part, [&]() -> PackedSupport::Values<T> {
    const bool whole = part == PackedSupport::kWhole;
    const Index first = whole ? 0 : model.expansions[part].first_sv;
    const Index n = whole ? static_cast<Index>(model.support.size()) : n_support(model.expansions[part]);
    if (model.kernel.type == KernelType::precomputed) {
      const auto begin = model.support.begin() + first;
      return kernel_matrix::given_kernel<T>({begin, begin + n}, model.n_train);
    }
    return kernel_matrix::points_kernel<T>(model.points.view(), first, n, model.kernel);
  });
}

}  // namespace dcsvm::svm
