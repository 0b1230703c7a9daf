#include "low_rank/params.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "kernels/kernel_cost.hpp"

namespace dcsvm::low_rank {

void check_params(const LowRankParams& p) {
  base::check_ranges(p);
  base::check_kernel(p.kernel, p.gamma_rule);
  if (is_fourier(p.features) && p.kernel.type != KernelType::rbf)
    throw ParameterError("features: random Fourier features approximate the rbf kernel only");
  if (p.features != LowRankFeatures::nystrom && p.supervised)
    throw ParameterError("supervised needs features \"nystrom\": others have no spectrum to learn");
  if (p.landmarks == LandmarkChoice::greedy && (is_fourier(p.features) || p.kernel.type == KernelType::precomputed)) {
    throw ParameterError(
        "landmarks: greedy chooses rows of X by their kernel values; it is not for features \"rks\" and "
        "\"fastfood\", nor for a precomputed kernel, whose landmarks are the columns of X");
  }
  base::check_class_weight(p.class_weight, p.balanced);
}

LowRankParams within_budget(const LowRankParams& params, const LowRankInputs& inputs, Index n, Index d, Index outputs) {
  if (!params.budget) return params;
  if (inputs.landmarks != nullptr || params.kernel.type == KernelType::precomputed)
    throw ParameterError("budget chooses how many landmarks there are, but here the landmarks are given: leave budget out");
  LowRankParams own = params;
  own.n_landmarks =
      static_cast<Index>(std::min(static_cast<double>(n), *params.budget * (1 + 1e-9) / kernels::landmarks_cost(1, d, outputs)));
  if (own.n_landmarks < 2 && n >= 2) {
    std::ostringstream text;
    text << "budget must allow two landmarks: at least " << std::ceil(10 * kernels::landmarks_cost(2, d, outputs)) / 10
         << ", got " << *params.budget;
    throw ParameterError(text.str());
  }
  return own;
}

}  // namespace dcsvm::low_rank
