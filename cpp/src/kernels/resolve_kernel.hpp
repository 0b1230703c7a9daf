// Kernel parameters that depend on the data.
#pragma once

#include "base/thread_pool.hpp"
#include "data/summary.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm::kernels {

/// `given`, with gamma computed by its rule.
KernelParams resolve_kernel(const data::Summary& x, const KernelParams& given, GammaRule rule, base::ThreadPool& pool);

}  // namespace dcsvm::kernels
