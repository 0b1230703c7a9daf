#include "dc_pred/params.hpp"

#include <string>

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"
#include "kernels/kernel_traits.hpp"

namespace dcsvm::dc_pred {

void check_params(const DcPredParams& p) {
  base::check_ranges(p);
  base::check_kernel(p.kernel, p.gamma_rule);
  base::check_class_weight(p.class_weight, p.balanced);
  if (p.kernel.type == KernelType::precomputed)
    throw ParameterError("kernel \"precomputed\" has no input space to find leaves and landmarks in");
  if (kernels::term_of(p.kernel.type) != kernels::Term::product) {
    throw ParameterError(std::string("kernel=") + name_of(p.kernel.type) +
                         " is not for DC-Pred++, which needs kernels of inner products or of |x - z|: take exponential or rbf");
  }
  const bool triangle = p.pseudo == PseudoLandmarks::triangle_lower || p.pseudo == PseudoLandmarks::triangle_upper;
  if (triangle && p.kernel.type != KernelType::rbf)
    throw ParameterError("pseudo: the triangle inequality needs a stationary kernel (rbf); take \"polynomial\"");
}

}  // namespace dcsvm::dc_pred
