#include "low_rank/params.hpp"

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::low_rank {

void check_params(const LowRankParams& p) {
  base::check_ranges(p);
  base::check_kernel(p.kernel, p.gamma_rule);
  if (is_fourier(p.features) && p.kernel.type != KernelType::rbf)
    throw ParameterError("features: random Fourier features approximate the rbf kernel only");
  if (p.features != LowRankFeatures::nystrom && p.supervised)
    throw ParameterError("supervised needs features \"nystrom\": others have no spectrum to learn");
  base::check_class_weight(p.class_weight, p.balanced);
}

}  // namespace dcsvm::low_rank
