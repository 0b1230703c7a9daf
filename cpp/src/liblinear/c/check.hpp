#pragma once

#include "dcsvm/liblinear/linear.h"

namespace dcsvm::liblinear {

/// check_parameter; `bias` is the problem's.
const char* check(double bias, const parameter* param) noexcept;

}  // namespace dcsvm::liblinear
