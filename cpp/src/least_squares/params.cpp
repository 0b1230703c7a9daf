#include "least_squares/params.hpp"

#include <cmath>
#include <string>

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::least_squares {

void check_params(const RidgeParams& p) {
  base::check_positive("alpha", p.alpha);
  base::check_positive("tol", p.tol);
  base::check_positive("cache_size", p.cache_size);
  base::check_kernel(p.kernel, p.gamma_rule);
  if (p.max_iter < 1) base::reject("max_iter", ">= 1", p.max_iter);
  if (p.n_threads < 0) base::reject("n_threads", ">= 0", p.n_threads);
}

void check_params(const LsSvmParams& p) {
  base::check_kernel(p.kernel, p.gamma_rule);
  if (p.kernel.type == KernelType::precomputed) throw ParameterError("kernel: LS-SVMs take no precomputed kernel");
  base::check_positive("gamma_ls", p.gamma_ls);
  base::check_positive("tol", p.tol);
  if (p.block_size < 0) base::reject("block_size", ">= 1, or 0 (chosen from the rows)", p.block_size);
  if (p.n_iter < 0) base::reject("n_iter", ">= 1, or 0 (chosen from rows and block_size)", p.n_iter);
  if (p.n_average < 1) base::reject("n_average", ">= 1", p.n_average);
  if (p.n_threads < 0) base::reject("n_threads", ">= 0", p.n_threads);
}

}  // namespace dcsvm::least_squares
