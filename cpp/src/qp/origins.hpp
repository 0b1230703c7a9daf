// What the gradients of a solve were formed from. A later solve that is given the gradients needs it to know how far they can be
// from the true ones (judge.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
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

  /// Of gradients that are formed in one update by all of the coefficients beta.
  static Origins of_one_update(const double* beta, Index n);
  /// Of gradients that are a caller's, for the coefficients beta.
  static Origins of_caller(const double* beta, Index n);

  /// Leaves out what no gradient has.
  void drop_unused();
  /// The gradients become those of t times the coefficients, q + t (g - q).
  void scale(double t, const double* q);
};

}  // namespace dcsvm::qp
