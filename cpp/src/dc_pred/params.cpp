#include "dc_pred/params.hpp"

#include <cmath>
#include <string>

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::dc_pred {

void check_params(const DcPredParams& p) {
  base::check_positive("C", p.C);
  base::check_positive("alpha", p.alpha);
  base::check_class_weight(p.class_weight, p.balanced);
  base::check_positive("tol", p.tol);
  base::check_positive("cache_size", p.cache_size);
  base::check_kernel(p.kernel, p.gamma_rule);
  if (p.kernel.type == KernelType::precomputed)
    throw ParameterError("kernel \"precomputed\" has no input space to find leaves and landmarks in");
  const bool triangle = p.pseudo == PseudoLandmarks::triangle_lower || p.pseudo == PseudoLandmarks::triangle_upper;
  if (triangle && p.kernel.type != KernelType::rbf)
    throw ParameterError("pseudo: the triangle inequality needs a stationary kernel (rbf); take \"polynomial\"");
  if (p.n_leaves < 1) base::reject("n_leaves", ">= 1", p.n_leaves);
  if (p.n_landmarks < 1) base::reject("n_landmarks", ">= 1", p.n_landmarks);
  if (p.n_pseudo < 0) base::reject("n_pseudo", ">= 0", p.n_pseudo);
  if (p.sample_size < 2) base::reject("sample_size", ">= 2", p.sample_size);
  if (p.refine < 0) base::reject("refine", ">= 0", p.refine);
  if (p.n_threads < 0) base::reject("n_threads", ">= 0", p.n_threads);
}

}  // namespace dcsvm::dc_pred
