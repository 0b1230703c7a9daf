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

/// Position of the class with most votes, ties to the lower: dec > 0 votes for the pair's first class, else for the second.
/// votes: scratch of n_classes.
inline Index vote(const double* dec, Index n_classes, std::vector<int>& votes) {
  votes.assign(n_classes, 0);
  for (Index i = 0; i < n_classes; ++i) {
    for (Index j = i + 1; j < n_classes; ++j) ++votes[*dec++ > 0 ? i : j];
  }
  return std::max_element(votes.begin(), votes.end()) - votes.begin();
}

[[noreturn]] inline void overflow(Index row) {
  throw DataError("X: kernel values overflow (infinity or NaN) at row " + std::to_string(row) +
                  "; is it scaled as the training data was?");
}

}  // namespace dcsvm::data
