// F5: the randomised solvers of the LS-SVM's system Theta W = Z (Andrecut 2016, Eq. 18) and two exact ones. Every class has its
// column of Z and W; the matrix is shared.
#pragma once

#include <functional>
#include <vector>

#include "base/context.hpp"
#include "dcsvm/ls_svm.hpp"
#include "least_squares/ls_block.hpp"

namespace dcsvm::least_squares {

struct LsTask {
  LsMethod method = LsMethod::matching_pursuit;
  Index block_size = 0;  ///< J, <= N
  Index n_iter = 0;      ///< T: blocks; conjugate gradients: steps at most
  double tol = 0;        ///< of |Z - Theta W| / |Z|
};

struct LsResult {
  StopReason stop_reason = StopReason::converged;
  std::vector<double> w;          ///< N + 1 x k, class by class
  /// |Z - Theta W| / |Z| after each step; kaczmarz: estimated from the blocks of the last pass, each before its step; nystrom:
  /// none
  std::vector<double> residuals;
  double residual = 0;  ///< the last; nystrom: infinity
  std::vector<double> residual_of;  ///< Z - Theta W; empty for kaczmarz and nystrom
  Index n_iter = 0;
  Index n_regularised = 0;  ///< blocks that were singular to rounding
  std::size_t peak_bytes = 0;
};

/// z: N + 1 x k, class by class, the last row 0. start: W of an earlier solve, or empty (zeros); a start costs N x N kernel
/// values where the residual of all rows is needed, as kaczmarz_mp does in every step. Throws Interrupted, CapError.
LsResult solve_ls(const LsMatrix& matrix, const std::vector<double>& z, Index k, const LsTask& task, std::vector<double> start,
                  base::Context& context, Progress progress);

/// |v|
double norm(const std::vector<double>& v);

/// Rows that "exact" solves by Cholesky, in double; above by conjugate gradients.
constexpr Index kCholeskyRows = 10000;
bool by_cholesky(const LsTask& task, Index n);

}  // namespace dcsvm::least_squares
