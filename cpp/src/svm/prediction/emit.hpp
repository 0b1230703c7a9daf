// Writes a row's decision values, or the label that they vote for by LIBSVM's rule.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/one_vs_one.hpp"
#include "data/output.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

inline void emit(const data::Output& out, const ModelData& model, Index row, const std::vector<double>& dec,
                 std::vector<int>& votes) {
  if (!std::all_of(dec.begin(), dec.end(), [](double v) { return std::isfinite(v); })) data::overflow(row);
  if (out.decisions != nullptr) {
    std::copy(dec.begin(), dec.end(), out.decisions + row * static_cast<Index>(dec.size()));
  } else if (is_classifier(model.formulation)) {
    const Index winner = data::vote(dec.data(), model.n_classes(), votes, data::ZeroVotes::later, model.places);
    out.labels[row] = model.classes[winner];
  } else {
    out.labels[row] = is_regression(model.formulation) ? dec[0] : dec[0] > 0 ? 1.0 : -1.0;
  }
}

}  // namespace dcsvm::svm
