// The coefficients of a support vector in the pairs that its class takes part in.
#pragma once

#include <algorithm>
#include <string>

#include "data/one_vs_one.hpp"
#include "dcsvm/errors.hpp"
#include "svm/model/model_data.hpp"
#include "svm/prediction/sums.hpp"

namespace dcsvm::svm {

/// Calls use(pair, coef) for each pair of a segment's class: coef[i - segment.begin] of column i of the segment.
template <class Use>
void each_pair(const ModelData& model, const Segment& segment, const Use& use) {
  const Index k = model.n_classes(), own = segment.own, n_sv = static_cast<Index>(model.support.size());
  for (Index other = 0; other < k; ++other) {
    if (other == own) continue;
    const Index pair = data::pair_index(std::min(own, other), std::max(own, other), k);
    use(pair, model.sv_coef.data() + data::coef_row(own, other) * n_sv + segment.coef);
  }
}

/// ParameterError for a clustered model.
inline void check_one_model(const ModelData& model, const char* what) {
  if (model.clustered()) {
    throw ParameterError(std::string(what) +
                         ": this model is clustered, and each of its clusters decides by itself. Train without early_level");
  }
}

}  // namespace dcsvm::svm
