// The loss, the method and the accuracy that belong to each LinearSolver, for given data.
#pragma once

#include <array>
#include <cmath>

#include "dcsvm/linear.hpp"
#include "linear/form.hpp"
#include "linear_fit/loss.hpp"
#include "linear_fit/penalty.hpp"
#include "products/matrix.hpp"

namespace dcsvm::linear {

using linear_fit::Loss;
using products::Matrix;

Loss loss_of(LinearSolver solver);

/// Whether the penalty has |w|_1.
inline bool has_l1(const LinearParams& p) { return traits_of(p.solver).l1 || p.l1_ratio > 0; }
/// C as a factor of the losses; without a penalty, C = infinity, it is 1.
inline double price_of(const LinearParams& p) { return std::isinf(p.C) ? 1.0 : p.C; }
linear_fit::Penalty penalty_of(const LinearParams& p);

inline double tol_of(const LinearParams& p) { return p.tol > 0 ? p.tol : default_tol(p.solver); }

/// Whether X has so few values (about 1 MB) that it stays in the cache, and a pass over it costs next to nothing.
inline bool small(Index stored) { return stored < 100000; }
inline bool small(const Matrix& x) { return small(x.stored()); }

/// Whether the method for `s` on x works on w, and not on dual variables one row after another. True also for dual solvers where
/// X has few columns.
bool solved_in_w(LinearSolver s, const Matrix& x);

/// Where the penalty has |w|_1: whether the matrix X'DX is formed.
bool forms_hessian(LinearSolver s, const Matrix& x);

/// Under these names the report states them.
enum class Method { newton, augmented_lagrangian, dual_descent, l1_newton, sequential_dual, greedy_pairs };
constexpr auto names_of(Method) {
  return std::array{"newton", "augmented_lagrangian", "dual_descent", "l1_newton", "sequential_dual", "greedy_pairs"};
}
/// What solves the problem on x; crammer_singer: where the augmented Lagrangian method does not.
Method method_of(const LinearParams& p, const Matrix& x);

}  // namespace dcsvm::linear
