// LLSVM^2: eigenvalues of K_zz learned from labelled rows (llsvm, section IV, Algorithm 2).
#pragma once

#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::low_rank {

/// c_i = (U' K_Lz' L K_Lz U)_ii of Eq. (19), with L the Laplacian of A_pq = 1 for equal classes, -a else (Eq. 17).
/// projected: K_Lz U, rows x cols row-major; class_of: one for each row, 0 <= class < n_classes. O(rows x cols).
std::vector<double> laplacian_diagonal(const std::vector<double>& projected, Index cols, const std::vector<int>& class_of,
                                       int n_classes, double a);

/// mu_i = max(0, 1 / eigenvalue_i - c_i / (2 lambda)), Eq. (23).
std::vector<double> supervised_spectrum(const std::vector<double>& eigenvalues, const std::vector<double>& c, double lambda);

}  // namespace dcsvm::low_rank
