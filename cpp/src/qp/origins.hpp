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
  /// At beta: the gradient in double, taken as true, for variables of this origin (but where `given`); for the others wrong by at
  /// most `error`, the bound R of the judge that made this origin, or its `coherent` (error_bound.hpp).
  std::vector<double> gradient;
  double error = 0, coherent = 0;
  /// How far each coefficient went since then, its |steps| added up, without the solve that is being judged. Empty: 0.
  std::vector<double> path = {};
  double left_out = 0;  ///< the sum of Result::left_out of these solves
  /// The gradient is a caller's, of which no solve says how it was formed. It is assumed to be as exact as one product with all
  /// coefficients; the test may refute this. beta: those that it was given for.
  bool given = false;
};

/// Of all gradients of a problem.
struct Origins {
  std::vector<Origin> known = std::vector<Origin>(1);
  std::vector<std::uint8_t> of;  ///< by variable: which of `known`; empty: the first
  std::uint64_t judged = 0;  ///< judges so far: each draws other rows

  /// Of gradients that are formed in one update by all of the coefficients beta.
  static Origins of_one_update(const double* beta, Index n);
  /// Of gradients that are a caller's, for the coefficients beta.
  static Origins of_caller(const double* beta, Index n);

  /// Adds this to the path of each.
  void went(const std::vector<double>& path);
  /// Removes the origins to which no variable refers.
  void drop_unused();
  /// The gradients become those of t times the coefficients, q + t (g - q).
  void scale(double t, const double* q);
};

}  // namespace dcsvm::qp
