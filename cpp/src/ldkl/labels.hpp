// Labels as signs of one problem after another, and the weights of rows.
#pragma once

#include <vector>

#include "dcsvm/ldkl.hpp"

namespace dcsvm::ldkl {

/// Of the rows that take part: those of weight above 0.
struct LdklLabels {
  std::vector<double> classes;  ///< ascending
  std::vector<Index> rows;      ///< ascending
  std::vector<int> class_of;    ///< of each of `rows`
  std::vector<double> weight;   ///< likewise, of mean 1

  Index problems() const { return classes.size() == 2 ? 1 : static_cast<Index>(classes.size()); }
  /// +1 for the class of this number, else -1.
  std::vector<double> signs(Index problem) const;
};

/// Throws DataError, ParameterError.
LdklLabels make_labels(const double* y, Index n, const LdklParams& params, const double* sample_weight);

}  // namespace dcsvm::ldkl
