// Rows in the layout of the fast predictors: float, minus the mean, padded to a multiple of the widest vector.
#pragma once

#include "base/buffer.hpp"
#include "dcsvm/data.hpp"
#include "simd/ops.hpp"

namespace dcsvm::data {

constexpr Index kLane = simd::kRowWidth;  // floats of the widest vector
constexpr Index padded(Index n) { return (n + kLane - 1) / kLane * kLane; }

/// A view of n rows; columns d .. stride - 1 are 0.
struct DenseRows {
  const float* x = nullptr;
  const float* norms = nullptr;  ///< |x_i|^2
  Index n = 0, d = 0, stride = 0;

  const float* row(Index i) const { return x + i * stride; }
  DenseView view() const { return {x, ScalarType::float32, n, d, stride, 1}; }
  DenseRows part(Index begin, Index end) const { return {x + begin * stride, norms + begin, end - begin, d, stride}; }
};

}  // namespace dcsvm::data
