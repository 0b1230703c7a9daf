#include "kernels/resolve_kernel.hpp"

#include <cmath>
#include <sstream>

#include "data/check.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::kernels {

KernelParams resolve_kernel(const data::Summary& x, const KernelParams& given, GammaRule rule, base::ThreadPool& pool) {
  KernelParams kernel = given;
  data::check_domain(x, given.type, pool);
  if (!traits_of(given.type).gamma || rule == GammaRule::value || (rule == GammaRule::unspecified && given.gamma > 0))
    return kernel;
  const auto d = static_cast<double>(cols_of(x));
  const double variance = rule == GammaRule::automatic ? 1.0 : x.variance(pool);
  if (!(variance > 0)) {
    kernel.gamma = 1.0;  // scikit-learn's value for constant data
  } else if (rule == GammaRule::automatic || traits_of(given.type).gamma_of == GammaOf::square) {
    kernel.gamma = 1.0 / (d * variance);
  } else if (traits_of(given.type).gamma_of == GammaOf::length) {
    kernel.gamma = 1.0 / std::sqrt(d * variance);
  } else {
    kernel.gamma = 1.0 / (d * std::sqrt(variance));
  }
  if (std::isfinite(kernel.gamma) && kernel.gamma > 0) return kernel;
  std::ostringstream text;
  text << "X: gamma=\"scale\" is 1 / (features x variance), which is beyond the range of a double: the variance of X is "
       << variance << "; scale the features or give gamma as a number";
  throw DataError(text.str());
}

}  // namespace dcsvm::kernels
