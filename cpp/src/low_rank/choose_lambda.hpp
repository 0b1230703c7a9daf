// F7: the supervised spectrum of LLSVM^2 and its lambda.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "data/row_blocks.hpp"
#include "low_rank/labels.hpp"
#include "low_rank/nystrom_map.hpp"

namespace dcsvm::low_rank {

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
