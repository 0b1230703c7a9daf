// Checks of a prediction's arguments.
#pragma once

#include <string>

#include "data/predict_call.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/model.hpp"
#include "svm/model/model_data.hpp"

namespace dcsvm::svm {

/// The data of a model that x has the columns for.
inline const ModelData& data_for_queries(const Model& model, const DataView& x) {
  if (model.empty() || model.data()->kernel.type != KernelType::precomputed) return data::data_for(model, x);
  const ModelData& m = *model.data();
  if (cols_of(x) != m.n_features) {
    throw DataError("X has " + std::to_string(cols_of(x)) + " columns, but the model was trained on " +
                    std::to_string(m.n_features) + " rows (precomputed kernel: X is K(test, train))");
  }
  return m;
}

}  // namespace dcsvm::svm
