// A model's data, which a default-constructed model has not.
#pragma once

#include <memory>

#include "dcsvm/errors.hpp"

namespace dcsvm::base {

/// Throws ParameterError when there is none.
template <class Data>
const Data& need(const std::shared_ptr<const Data>& data) {
  if (!data) throw ParameterError("model is empty: it was default-constructed, not trained or loaded");
  return *data;
}

}  // namespace dcsvm::base
