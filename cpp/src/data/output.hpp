// Where a prediction writes: decision values as they are, or labels by LIBSVM's vote.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/errors.hpp"

namespace dcsvm::data {

/// One of the two is null. Rows may be written in any order and from several threads.
struct Output {
  double* decisions = nullptr;  ///< rows x n_pairs row-major
  double* labels = nullptr;     ///< rows
};

[[noreturn]] inline void overflow(Index row) {
  throw DataError("X: kernel values overflow (infinity or NaN) at row " + std::to_string(row) +
                  "; is it scaled as the training data was?");
}

}  // namespace dcsvm::data
