// Why a training ended, in numbers.
#pragma once

#include <string>

#include "linear/method.hpp"
#include "linear/model_data.hpp"

namespace dcsvm::linear {

/// Of the problem whose reason is the most severe, and of these the one that is farthest from its limit.
std::string stop_detail(const LinearData& model, Method method);

}  // namespace dcsvm::linear
