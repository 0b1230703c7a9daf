// Eigenvalues and eigenvectors of a symmetric matrix, by the Householder reduction to tridiagonal form and implicit QR steps
// (Golub & Van Loan, Matrix Computations, 8.3). Eigen has the same, but cannot be interrupted, and a thousand landmarks take it
// the better part of a second.
#pragma once

#include <Eigen/Core>

#include "base/thread_pool.hpp"

namespace dcsvm::low_rank {

struct EigenPairs {
  Eigen::VectorXd values;  ///< in no order
  Eigen::MatrixXd vectors;  ///< its columns, orthonormal
};

/// matrix: finite; its lower triangle is read. Polls many times. Throws DataError when the QR steps do not converge.
EigenPairs symmetric_eigen(Eigen::MatrixXd matrix, const base::ThreadPool& pool);

}  // namespace dcsvm::low_rank
