// Whether float kernel values are precise enough for a training.
#pragma once

#include "base/thread_pool.hpp"
#include "data/summary.hpp"
#include "dcsvm/params.hpp"

namespace dcsvm::kernels {

/// `asked`, or double_ where float kernel values of these rows cannot reach `tol`. kernel: gamma resolved. largest_C: the largest
/// bound of a variable.
Precision choose_precision(const data::Summary& x, const KernelParams& kernel, Precision asked, double tol, double largest_C,
                           base::ThreadPool& pool);

}  // namespace dcsvm::kernels
