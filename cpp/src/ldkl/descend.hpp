// The first step of the training: stochastic subgradient descent on all vectors of a tree.
#pragma once

#include "base/context.hpp"
#include "ldkl/smooth_tree.hpp"

namespace dcsvm::ldkl {

struct Descent {
  std::vector<double> vectors;   ///< shape.vectors() x cols: w, v, theta
  double smooth_objective = 0;   ///< at the end, over all rows
  double gradient_norm = 0;
  std::int64_t n_passes = 0;
  bool cancelled = false;
  std::size_t bytes = 0;  ///< of its arrays
};

/// problem, problems: for the progress. Throws CapError when its arrays do not fit context.cap_bytes.
Descent descend(const Rows& rows, const Shape& shape, const LdklParams& params, Index problem, Index problems,
                base::Context& context);

}  // namespace dcsvm::ldkl
