// Whether float kernel values are precise enough for a training to start with.
#pragma once

#include "base/thread_pool.hpp"
#include "data/summary.hpp"
#include "dcsvm/kernel_params.hpp"

namespace dcsvm::kernels {

/// `asked`, or double_ where float does not tell these rows apart or cannot hold their kernel values. kernel: gamma resolved.
/// Whether the solution that float values lead to is one, is judged afterwards (qp/verify.hpp).
Precision choose_precision(const data::Summary& x, const KernelParams& kernel, Precision asked, base::ThreadPool& pool);

}  // namespace dcsvm::kernels
