// Which cluster's model predicts a query.
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// For each row of x the cluster with the nearest centre, ties to the lower number:
///   KernelRouter   ||phi(x) - mu_c||^2 - K(x, x) = constant_c - 2 / w_c sum_{j in c} K(x, s_j), in the model's precision;
///   CentreRouter   ||x - m_c||^2 - |x|^2, in double, around the mean of the centres.
/// Clusters without classes or without sample points get none. Throws ModelError when none is left, DataError naming the row when
/// a distance overflows.
std::vector<int> route(const ModelData& model, const DataView& x, base::ThreadPool& pool);

}  // namespace dcsvm::svm
