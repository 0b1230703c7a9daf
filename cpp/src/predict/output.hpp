// Where decision values go: to the caller as they are, or through LIBSVM's vote.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/errors.hpp"
#include "models/model_data.hpp"

namespace dcsvm::prediction {

/// One of the two is null. Rows may be written in any order and from several threads.
struct Output {
  double* decisions = nullptr;  ///< rows x n_pairs row-major
  double* labels = nullptr;     ///< rows
};

/// Position of the class with most votes, ties to the lower: dec > 0 votes for the pair's first class, else for the second.
/// votes: scratch of n_classes.
inline Index vote(const double* dec, Index n_classes, std::vector<int>& votes) {
  votes.assign(static_cast<std::size_t>(n_classes), 0);
  for (Index i = 0; i < n_classes; ++i) {
    for (Index j = i + 1; j < n_classes; ++j) ++votes[static_cast<std::size_t>(*dec++ > 0 ? i : j)];
  }
  return std::max_element(votes.begin(), votes.end()) - votes.begin();
}

[[noreturn]] inline void overflow(Index row) {
  throw DataError("X: kernel values overflow (infinity or NaN) at row " + std::to_string(row) +
                  "; is it scaled as the training data was?");
}

inline void emit(const Output& out, const models::ModelData& model, Index row, const std::vector<double>& dec,
                 std::vector<int>& votes) {
  if (!std::all_of(dec.begin(), dec.end(), [](double v) { return std::isfinite(v); })) overflow(row);
  if (out.decisions != nullptr) {
    std::copy(dec.begin(), dec.end(), out.decisions + row * static_cast<Index>(dec.size()));
  } else if (is_classifier(model.formulation)) {
    const Index winner = vote(dec.data(), model.n_classes(), votes);
    out.labels[row] = model.classes[static_cast<std::size_t>(winner)];
  } else {
    out.labels[row] = is_regression(model.formulation) ? dec[0] : dec[0] > 0 ? 1.0 : -1.0;
  }
}

}  // namespace dcsvm::prediction
