// Rows of feature_nodes as the library's data.
#pragma once

#include <cstdint>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/liblinear/linear.h"

namespace dcsvm::liblinear {

/// Compressed sparse rows of their own.
struct Rows {
  Index cols = 0;
  std::vector<double> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> indptr{0};

  CsrView view() const;
};

/// The rows of a training. `bias` >= 0: the library has to add the bias's column, of which `rows` has only what stands before it.
struct TrainingRows {
  Rows rows;
  double bias = -1;
};
/// LIBLINEAR's callers put the bias behind each row themselves. Where all rows do so it becomes the library's bias; where they do
/// not, the last column stays a feature like others, as in LIBLINEAR. Throws DataError (row, from 0) for a null row, indices that
/// are not in 1 .. n or do not ascend.
TrainingRows training_rows(const problem& prob);

/// Rows to be predicted; indices beyond `cols` are left out. Throws DataError for a null row and indices that are not positive or
/// do not ascend.
Rows query_rows(const feature_node* const* x, Index l, Index cols);

}  // namespace dcsvm::liblinear
