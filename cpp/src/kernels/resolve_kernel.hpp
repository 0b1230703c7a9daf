// Kernel parameters that depend on the data.
#pragma once

#include "base/thread_pool.hpp"
#include "dcsvm/params.hpp"

namespace dcsvm::kernels {

/// `given` with gamma found by its rule.
KernelParams resolve_kernel(const DataView& x, const KernelParams& given, GammaRule rule, base::ThreadPool& pool);

}  // namespace dcsvm::kernels
