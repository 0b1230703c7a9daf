// F5: (K + Lambda) a = y for a kernel matrix and a positive diagonal.
#pragma once

#include <vector>

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

}  // namespace dcsvm::least_squares
