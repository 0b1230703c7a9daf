// The map of the low-rank linearised SVM. Lan, Wang, Zhe, Cheng, Wang, Zhang: Scaling Up Kernel SVM on Limited Resources: A
// Low-Rank Linearization Approach (IEEE TNNLS 30(2), 2019), Eq. (12): F = K_rz M with M M' = K_zz^+, so that F F' = K_rz K_zz^+
// K_zr.
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"

namespace dcsvm::low_rank {

/// M, restricted to the landmarks that it uses.
struct NystromMap {
  std::vector<Index> used;     ///< landmarks (rows of K_zz) that belong to the rows of `values`
  Index cols = 0;              ///< features: the numerical rank of K_zz
  std::vector<double> values;  ///< used.size() x cols, row-major; empty: the identity
  double negative_share = 0;   ///< sum of |negative eigenvalues| / sum of |eigenvalues|, when they were computed

  Index rows() const { return static_cast<Index>(used.size()); }
};

/// Eigenvalues of K_zz that are kept: above this share of the largest. A feature of eigenvalue l carries the rounding of float
/// kernel values times sqrt(largest / l), here at most 6e-4.
constexpr double kEigenCut = 1e-8;
/// Residual diagonal at which the pivoted factorisation ends, as a share of the largest diagonal element.
constexpr double kPivotCut = 1e-6;

/// M = P L^-T of the pivoted Cholesky factorisation P'K_zz P = L L', upper triangular: the same F F' as the paper's
/// U Lambda^(-1/2), hence the same SVM (Proposition 1); F costs half as much and M a fraction. Landmarks whose
/// residual falls below kPivotCut are left out. k_zz (k x k) is overwritten. A matrix that is not positive semi-definite
/// gives no columns.
NystromMap cholesky_map(base::Buffer<double>& k_zz, Index k, base::ThreadPool& pool);

/// M = I on k landmarks: kernel values are the features. Lee, Mangasarian: RSVM: Reduced Support Vector Machines (SDM 2001).
NystromMap no_map(Index k);

/// K_zz = U Lambda U'.
struct Spectrum {
  std::vector<double> values;   ///< kept eigenvalues, descending
  std::vector<double> vectors;  ///< k x values.size(), row-major: U
  double negative_share = 0;
};
/// Eigenvalues of at most kEigenCut of the largest, and negative ones, are cut off. Takes about k^3 / 10^9 seconds.
Spectrum spectrum_of(const base::Buffer<double>& k_zz, Index k, const base::ThreadPool& pool);
/// M = U diag(mu)^(1/2) without the columns where mu is 0; Eq. (12) has mu = 1 / lambda, Eq. (23) the supervised one.
NystromMap spectral_map(const Spectrum& spectrum, const std::vector<double>& mu);

}  // namespace dcsvm::low_rank
