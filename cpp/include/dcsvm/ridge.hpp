// Kernel ridge regression, exact: (K + Lambda) a = y, Lambda_ii = alpha / w_i (Hsieh, Si, Dhillon: Fast Prediction for
// Large-Scale Kernel Machines, NIPS 2014, Eq. (2)), the prediction sum_i a_i K(x_i, x). There is no intercept: centre y where it
// needs one.
#pragma once

#include <cstdint>

#include "dcsvm/data.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/params.hpp"
#include "dcsvm/train.hpp"

namespace dcsvm {

/// How the system is solved. cholesky: in blocks, all of K in double. cg: conjugate gradients, preconditioned by a Nystrom
/// approximation of K on 500 sampled rows (Frangella, Tropp, Udell: Randomized Nystrom preconditioning, 2023); K is kept when it
/// fits half of cache_size, else computed anew in every step. automatic: cholesky up to 6,000 rows while K fits half of
/// cache_size, else cg.
enum class RidgeSolver { automatic, cholesky, cg };

struct RidgeParams {
  KernelParams kernel;
  GammaRule gamma_rule = GammaRule::unspecified;
  double alpha = 1.0;  ///< the paper's lambda, > 0
  RidgeSolver solver = RidgeSolver::automatic;
  double tol = 1e-6;   ///< cg: of |y - (K + Lambda) a| / |y|
  Index max_iter = 1000;  ///< cg: steps
  double cache_size = 2000.0;  ///< MB
  Precision precision = Precision::single_;  ///< of kernel values
  std::uint64_t seed = 0;      ///< of the preconditioner's sample
  int n_threads = 0;
};

/// x: n x n_features (n x n for the precomputed kernel), y: n targets. The model's formulation is kernel_ridge, every row that
/// takes part a support vector; its report has the largest |y - (K + Lambda) a| as `violation`, the objective of Eq. (2), and
/// the solver's name. Of inputs only sample_weight is taken; rows of weight 0 do not take part.
/// Throws ParameterError, DataError (also when K + Lambda is not positive definite, which only kernels that are not can cause),
/// CapError, Interrupted, std::bad_alloc.
Model train_ridge(const DataView& x, const double* y, const RidgeParams& params, const TrainInputs& inputs = {},
                  const Hooks& hooks = {});

}  // namespace dcsvm
