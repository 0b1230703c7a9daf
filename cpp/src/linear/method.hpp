// The loss, the method and the accuracy that belong to each LinearSolver, for given data.
#pragma once

#include "data/matrix.hpp"
#include "dcsvm/linear.hpp"
#include "linear/loss.hpp"

namespace dcsvm::linear {

using data::Matrix;

Loss loss_of(LinearSolver solver);

constexpr bool is_l1(LinearSolver s) { return s == LinearSolver::l1_logistic || s == LinearSolver::l1_squared_hinge; }

inline double tol_of(const LinearParams& p) { return p.tol > 0 ? p.tol : default_tol(p.solver); }

/// Whether X is in the cache as it is, and a pass over it costs next to nothing.
inline bool small(const Matrix& x) { return x.stored() < 100000; }

/// Whether the problems are solved from the primal side.
bool primal_side(LinearSolver s, const Matrix& x);

/// For the solvers with |w|_1: whether the matrix X'DX is formed.
bool forms_hessian(LinearSolver s, const Matrix& x);

/// The name of the method that solves `s` on x, as the report states it.
const char* method_of(LinearSolver s, const Matrix& x);

/// The part of the tolerance at which the solvers that go through rows or columns in random order stop. LIBLINEAR's objective at
/// its own stop moves with its random numbers; at these parts ours was not above the median of five of its runs on small and on
/// sparse problems, for about a quarter more passes (l1_squared_hinge: as many again). One exception: l1_logistic on
/// newsgroups20b, 2e-4 above.
double stopping_part(LinearSolver solver, const Matrix& x);

/// Few columns: what Newton steps after the last one may still gain, as a share of the objective (l1_squared_hinge: what the last
/// one gained). LIBLINEAR's own stop rule leaves 3e-5 and more on the tested data, l1_logistic 4e-4 and more.
double last_decrease(LinearSolver solver);

}  // namespace dcsvm::linear
