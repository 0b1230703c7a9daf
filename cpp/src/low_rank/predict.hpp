// Decisions of low-rank models: sums over landmarks or random directions.
#pragma once

#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "data/output.hpp"
#include "kernel_matrix/kernel_values.hpp"
#include "low_rank/model_data.hpp"

namespace dcsvm::low_rank {

/// The functions that a decision sums, in T: kernel values of landmarks, or inner products with random directions, whose cosines
/// are summed (landmarks false). kernel: gamma resolved.
template <class T>
std::unique_ptr<kernel_matrix::KernelValues<T>> functions_of(KernelParams kernel, bool landmarks, const data::PointStore& points,
                                                             const std::vector<Index>& used, Index n_features) {
  if (kernel.type == KernelType::precomputed) return kernel_matrix::given_kernel<T>(used, n_features);
  if (!landmarks) kernel.type = KernelType::linear;
  return kernel_matrix::points_kernel<T>(points.view(), kernel);
}

/// Decides all rows of x, which were checked. Output::decisions: rows x n_problems. DataError when values overflow.
void decide(const LowRankData& model, const DataView& x, base::ThreadPool& pool, const data::Output& out);

/// Position of the class that n_problems decisions name. votes: scratch.
Index winner(const double* dec, Index n_classes, MultiClass multi_class, std::vector<int>& votes);

}  // namespace dcsvm::low_rank
