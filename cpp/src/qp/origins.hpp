// What the gradients of a solve were formed from. A later solve that is given the gradients needs it to know how far they can be
// from the true ones (judge.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::qp {

/// Coefficients at which the gradients of some variables were true, and from which float values have led to the present ones.
struct Origin {
  std::vector<double> beta;  ///< of all variables; empty: 0, whose gradient is q
  std::vector<double> gradient;  ///< of all variables at beta; those that have another origin are off by up to `error`
  double error = 0;
  double squared_steps = 0;  ///< Result's, of the solves on the way but for that which is judged
  double left_out = 0;  ///< likewise
  /// The gradient is a caller's, of which no solve says how it was formed: as good as one update by all of the coefficients,
  /// unless gradients in double tell otherwise. beta: those that it was given for.
  bool given = false;
};

/// Of all gradients of a problem.
struct Origins {
  std::vector<Origin> known = {Origin{}};
  std::vector<std::uint8_t> of;  ///< by variable: which of `known`; empty: the first
  std::uint64_t judged = 0;  ///< judges so far: each draws other rows

  /// Of gradients that are a caller's, for the coefficients beta.
  static Origins of_caller(const double* beta, Index n) {
    Origins origins;
    origins.known[0].beta.assign(beta, beta + n);
    origins.known[0].squared_steps = std::inner_product(beta, beta + n, beta, 0.0);
    origins.known[0].given = true;
    return origins;
  }

  /// The gradients become those of t times the coefficients, q + t (g - q).
  void scale(double t, const double* q) {
    for (Origin& origin : known) {
      for (double& b : origin.beta) b *= t;
      for (std::size_t i = 0; i < origin.gradient.size(); ++i) origin.gradient[i] = q[i] + t * (origin.gradient[i] - q[i]);
      origin.error *= t;
      origin.squared_steps *= t * t;
      origin.left_out *= t;
    }
  }
};

}  // namespace dcsvm::qp
