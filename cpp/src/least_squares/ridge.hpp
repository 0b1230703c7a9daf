// (K + Lambda) a = y for a kernel matrix and a positive diagonal: by Cholesky (kernel_cholesky) or by preconditioned conjugate
// gradients (ridge_conjugate_gradients), refined until the residual in double is below tol.
#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

#include "base/context.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/ridge.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::least_squares {

struct RidgeTask {
  const double* targets = nullptr;  ///< n
  const double* lambda = nullptr;   ///< n: > 0
  RidgeSolver solver = RidgeSolver::automatic;
  double tol = 1e-6;  ///< of |y - (K + Lambda) alpha| / |y|
  Index max_iter = 1000;
};

/// K, once or twice.
struct RidgeMatrix {
  const kernel_matrix::RowSource<float>* rounded;  ///< what the solver starts with; null: it works in double from the start
  const kernel_matrix::RowSource<double>& exact;   ///< the residual is formed with these values
};

struct RidgeSolution {
  std::vector<double> alpha;
  std::vector<double> residual;  ///< y - (K + Lambda) alpha, in double
  Index n_iter = 0;              ///< steps of conjugate gradients
  /// converged: |residual| <= tol |y|. stagnated: rounding in double keeps it above.
  StopReason stop_reason = StopReason::converged;
  RidgeSolver used = RidgeSolver::cholesky;
  /// double_ where single precision had to be refined or left: predictions need double kernel values then.
  Precision precision = Precision::single_;
  std::size_t peak_bytes = 0;
};

/// Throws DataError when K + Lambda is not positive definite, CapError when what the solver needs does not fit.
RidgeSolution solve_ridge(const RidgeMatrix& k, const RidgeTask& task, base::Context& context);

/// A solve in progress in one precision: the system, and what both solvers share.
template <class T>
struct RidgeState {
  const RidgeTask& task;
  base::Context& context;
  const kernel_matrix::Columns<T>& columns;  ///< all n of K
  double enough;                             ///< conjugate gradients stop at this norm of their own residual
  RidgeSolution& solution;

  Index n() const { return columns.size(); }
  /// (K + Lambda) v.
  Eigen::VectorXd product(const Eigen::VectorXd& v) const;
};

/// d of (K + Lambda) d = r, nearly.
using RidgeSolve = std::function<Eigen::VectorXd(Eigen::VectorXd r)>;

/// By conjugate gradients; keeps a reference to s. A solve adds to the solution's n_iter and sets stop_reason when it ends early.
template <class T>
RidgeSolve ridge_conjugate_gradients(const RidgeState<T>& s);

/// K + Lambda is not positive definite as its values are rounded.
struct RidgeNotDefinite : DataError {
  RidgeNotDefinite()
      : DataError("the kernel matrix plus alpha is not positive definite: the kernel is not, or alpha is below its rounding") {}
};

}  // namespace dcsvm::least_squares
