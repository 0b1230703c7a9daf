// What a prediction costs, in a unit that models of several families share.
#pragma once

#include "dcsvm/data.hpp"

namespace dcsvm::kernels {

constexpr Index kFunctionCost = 10;  // multiply-adds that a kernel's function takes, about

/// Inner products of d features that a row costs whose decisions are `outputs` sums over m kernel values. A linear model's is 1.
inline double landmarks_cost(Index m, Index d, Index outputs) {
  return static_cast<double>(m) + static_cast<double>((kFunctionCost + outputs) * m) / static_cast<double>(d);
}

}  // namespace dcsvm::kernels
