// Everything that a loaded model offers.
#pragma once

#include "dcsvm/any_model.hpp"

namespace dcsvm::fuzz {

/// Calls it all, with rows that are dense, and sparse up to the widest. Answers that would be large by their shape are left out.
void use(const AnyModel& model);

}  // namespace dcsvm::fuzz
