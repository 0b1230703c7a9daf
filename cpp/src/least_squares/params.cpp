#include "least_squares/params.hpp"

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"

namespace dcsvm::least_squares {

void check_params(const RidgeParams& p) {
  base::check_ranges(p);
  base::check_kernel(p.kernel, p.gamma_rule);
}

void check_params(const LsSvmParams& p) {
  base::check_ranges(p);
  base::check_kernel(p.kernel, p.gamma_rule);
  if (p.kernel.type == KernelType::precomputed) throw ParameterError("kernel: LS-SVMs take no precomputed kernel");
}

}  // namespace dcsvm::least_squares
