#include "low_rank/params.hpp"

#include <cmath>
#include <string>

#include "base/param_checks.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::low_rank {

void check_params(const LowRankParams& p) {
  base::check_positive("C", p.C);
  base::check_positive("tol", p.tol);
  base::check_positive("cache_size", p.cache_size);
  base::check_kernel(p.kernel, p.gamma_rule);
  if (p.features != LowRankFeatures::nystrom && p.kernel.type != KernelType::rbf)
    throw ParameterError("features: random Fourier features approximate the rbf kernel only");
  if (p.features != LowRankFeatures::nystrom && p.supervised)
    throw ParameterError("supervised needs features \"nystrom\": random features have no spectrum to learn");
  if (p.n_landmarks < 1) base::reject("n_landmarks", ">= 1", p.n_landmarks);
  if (p.landmark_sample < 0) base::reject("landmark_sample", ">= 0 (0: chosen from n_landmarks)", p.landmark_sample);
  if (p.landmark_iterations < 0) base::reject("landmark_iterations", ">= 0", p.landmark_iterations);
  if (p.max_iter < 1) base::reject("max_iter", ">= 1", p.max_iter);
  if (p.n_passes < 1) base::reject("n_passes", ">= 1", p.n_passes);
  if (p.n_labelled < 2) base::reject("n_labelled", ">= 2", p.n_labelled);
  if (!(p.balance >= 0) || !std::isfinite(p.balance)) base::reject("balance", "a finite number >= 0", p.balance);
  if (p.lambda) base::check_positive("lambda", *p.lambda);
  if (p.unlabelled) base::check_finite("unlabelled", *p.unlabelled);
  if (p.n_threads < 0) base::reject("n_threads", ">= 0", p.n_threads);
  base::check_class_weight(p.class_weight, p.balanced);
}

}  // namespace dcsvm::low_rank
