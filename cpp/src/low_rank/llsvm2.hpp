// LLSVM^2, the supervised variant (Lan et al. 2019, Section IV, Algorithm 2): the eigenvalues of K_zz are replaced by a spectrum
// learned from labelled rows.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "data/row_blocks.hpp"
#include "low_rank/labels.hpp"
#include "low_rank/nystrom_map.hpp"

namespace dcsvm::low_rank {

/// c_i = (U' K_Lz' L K_Lz U)_ii of Eq. (19), with L the Laplacian of A_pq = 1 for equal classes, -a else (Eq. 17).
/// projected: K_Lz U, rows x cols row-major; class_of: one for each row, 0 <= class < n_classes. O(rows x cols).
std::vector<double> laplacian_diagonal(const std::vector<double>& projected, Index cols, const std::vector<int>& class_of,
                                       int n_classes, double a);

/// mu_i = max(0, 1 / eigenvalue_i - c_i / (2 lambda)), Eq. (23).
std::vector<double> supervised_spectrum(const std::vector<double>& eigenvalues, const std::vector<double>& c, double lambda);

struct SpectrumTask {
  const data::RowBlocks& source;
  const LowRankLabels& labels;
  DataView landmarks;
  const KernelParams& kernel;
  const LowRankParams& params;
  const Spectrum& spectrum;
};

/// mu of Eq. (23), from params.n_labelled rows drawn among the labelled ones. lambda: params.lambda, or the one of 10^-5 .. 10^5
/// whose map gives the best accuracy on held-out rows (a fifth of the other labelled rows, at most 5,000, after training on the
/// rest, at most 20,000); ties to the larger. Throws DataError when a lambda that was given leaves no feature, or too few rows
/// are labelled.
std::vector<double> choose_spectrum(const SpectrumTask& task, base::Context& context, double& lambda);

}  // namespace dcsvm::low_rank
