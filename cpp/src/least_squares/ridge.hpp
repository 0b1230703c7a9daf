// (K + Lambda) a = y for a kernel matrix and a positive diagonal: by Cholesky (kernel_cholesky) or by preconditioned conjugate
// gradients (ridge_conjugate_gradients).
#pragma once

#include <vector>

#include <Eigen/Core>

#include "base/context.hpp"
#include "dcsvm/ridge.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::least_squares {

struct RidgeTask {
  const double* targets = nullptr;  ///< n
  const double* lambda = nullptr;   ///< n: > 0
  RidgeSolver solver = RidgeSolver::automatic;
  double tol = 1e-6;
  Index max_iter = 1000;
};

struct RidgeSolution {
  std::vector<double> alpha;
  std::vector<double> residual;  ///< y - (K + Lambda) alpha, of the kernel values as they are
  Index n_iter = 0;
  StopReason stop_reason = StopReason::converged;
  RidgeSolver used = RidgeSolver::cholesky;
  std::size_t peak_bytes = 0;
};

/// Throws DataError when K + Lambda is not positive definite, CapError when what the solver needs does not fit.
template <class T>
RidgeSolution solve_ridge(const kernel_matrix::RowSource<T>& k, const RidgeTask& task, base::Context& context);

/// A solve in progress: the system, and what both solvers share.
template <class T>
struct RidgeState {
  const RidgeTask& task;
  base::Context& context;
  const kernel_matrix::Columns<T>& columns;  ///< all n of K
  RidgeSolution& solution;

  Index n() const { return columns.size(); }
  /// (K + Lambda) v.
  Eigen::VectorXd product(const Eigen::VectorXd& v) const;
};

/// alpha by conjugate gradients; sets n_iter and stop_reason of the solution.
template <class T>
Eigen::VectorXd ridge_conjugate_gradients(const RidgeState<T>& s);

constexpr const char* kRidgeNotDefinite =
    "the kernel matrix plus alpha is not positive definite: the kernel is not, or alpha is below its rounding";

}  // namespace dcsvm::least_squares
