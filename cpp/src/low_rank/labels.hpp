// Labels and weights of a low-rank training as its solver wants them.
#pragma once

#include <vector>

#include "dcsvm/low_rank.hpp"
#include "low_rank/linear_svm.hpp"

namespace dcsvm::low_rank {

struct LowRankLabels {
  std::vector<double> classes;  ///< ascending
  std::vector<int> class_of;    ///< n; -1: unlabelled, or of weight 0
  std::vector<double> weight;   ///< n: C_i / C

  Index rows() const { return static_cast<Index>(class_of.size()); }
  LowRankLabels subset(const std::vector<Index>& rows) const;  ///< of these rows, with the same classes
  std::vector<Index> labelled() const;  ///< rows that take part, ascending
  std::vector<double> bounds(double C) const;  ///< C_i
  /// Two classes or pairs: the lower class is positive; against the rest: the column's class.
  std::vector<BinaryProblem> problems(MultiClass multi_class) const;
};

/// Throws DataError, ParameterError.
LowRankLabels make_labels(const double* y, Index n, const LowRankParams& params, const double* sample_weight);

}  // namespace dcsvm::low_rank
