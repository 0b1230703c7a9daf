// Everything that a loaded model offers.
#pragma once

#include <string>

#include "dcsvm/any_model.hpp"

namespace dcsvm::fuzz {

/// Calls it all, with rows that are dense, and sparse up to the widest. Answers that would be large by their shape are left out.
/// saved: model_to_bytes(model).
void use(const AnyModel& model, const std::string& saved);
void use(const AnyModel& model);

}  // namespace dcsvm::fuzz
