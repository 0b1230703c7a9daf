// Access to a model's data.
#pragma once

#include <memory>

#include "dcsvm/errors.hpp"

namespace dcsvm::base {

/// The data of a model. Throws ParameterError for a default-constructed model, which has none.
template <class Data>
const Data& require_model(const std::shared_ptr<const Data>& data) {
  if (!data) throw ParameterError("model is empty: it was default-constructed, not trained or loaded");
  return *data;
}

}  // namespace dcsvm::base
