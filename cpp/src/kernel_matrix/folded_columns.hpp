// Columns in which the points take few values, as one-hot columns do: with exp(-gamma |x - y|^2) = exp(-gamma |x_A - y_A|^2)
// exp(-gamma |x_B - y_B|^2) and A such columns, points that agree in A share the first factor, and only B is left of their tiles.
#pragma once

#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::kernel_matrix {

struct FoldedColumns {
  std::vector<Index> folded;  ///< A, ascending; empty: it would not pay
  std::vector<Index> kept;  ///< B, ascending, at least one
  /// groups[g]: the points that agree in A, ascending. One group when nothing is folded.
  std::vector<std::vector<Index>> groups;
};

/// Folds columns of few values as long as the groups stay large enough for whole strips of a tile. O(rows x columns).
FoldedColumns fold_columns(const DataView& x);

/// Columns `which` of rows idx[0..n) (null: first, first + 1, ...), n x which.size() row-major.
std::vector<double> copy_columns(const DataView& x, const Index* idx, Index first, Index n, const std::vector<Index>& which);

}  // namespace dcsvm::kernel_matrix
