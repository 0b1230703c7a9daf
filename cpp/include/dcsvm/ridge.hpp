// Kernel ridge regression, exact: (K + Lambda) a = y, Lambda_ii = alpha / w_i (Hsieh, Si, Dhillon: Fast Prediction for
// Large-Scale Kernel Machines, NIPS 2014, Eq. (2)), the prediction sum_i a_i K(x_i, x). There is no intercept: centre y where it
// needs one.
#pragma once

#include <array>
#include <cstdint>

#include "dcsvm/call.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/kernel_params.hpp"
#include "dcsvm/model.hpp"
#include "dcsvm/params.hpp"

namespace dcsvm {

/// How the system is solved. cholesky: in blocks, all of K in double. cg: conjugate gradients, preconditioned by a Nystrom
/// approximation of K on 500 sampled rows (Frangella, Tropp, Udell: Randomized Nystrom preconditioning, 2023); K is kept when it
/// fits half of cache_size, else computed anew in every step. automatic: cholesky up to 6,000 rows while K fits half of
/// cache_size, else cg.
enum class RidgeSolver { automatic, cholesky, cg };
constexpr auto names_of(RidgeSolver) { return std::array{"auto", "cholesky", "cg"}; }

struct RidgeParams {
  KernelParams kernel;
  GammaRule gamma_rule = GammaRule::unspecified;
  double alpha = 1.0;  ///< the paper's lambda, > 0
  RidgeSolver solver = RidgeSolver::automatic;
  double tol = 1e-6;  ///< of |y - (K + Lambda) a| / |y|, which is formed in double
  Index max_iter = 1000;  ///< cg: steps
  double cache_size = 2000.0;  ///< MB
  /// Of kernel values. single_: where their rounding keeps the residual above tol, the solution is refined with a residual in
  /// double, then solved in double; the report's precision is double then, and so are predictions.
  Precision precision = Precision::single_;
  std::uint64_t seed = 0;      ///< of the preconditioner's sample
  int n_threads = 0;
  double max_seconds = 0;  ///< 0: no limit
};

/// x: n x n_features (n x n for the precomputed kernel), y: n targets. The model's formulation is kernel_ridge, every row that
/// takes part a support vector; its report has the largest |y - (K + Lambda) a| as `violation`, the objective of Eq. (2), and
/// the solver's name. Stop reason: converged, max_iter (cg), cancelled, or stagnated: rounding in double keeps the residual above
/// tol. Of inputs only sample_weight is taken; rows of weight 0 do not take part.
/// Throws ParameterError, DataError (also when K + Lambda is not positive definite: the kernel is not, or alpha is below the
/// rounding of double), CapError, Interrupted, std::bad_alloc.
Model train_ridge(const DataView& x, const double* y, const RidgeParams& params, const TrainInputs& inputs = {},
                  const Hooks& hooks = {});

}  // namespace dcsvm
