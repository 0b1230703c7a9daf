// The loss, the method and the accuracy that belong to each LinearSolver, for given data.
#pragma once

#include <cmath>

#include "dcsvm/linear.hpp"
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

/// The share of the memory cap that a solver may take for what it keeps of all classes or folds at once.
inline constexpr double kSolverShare = 0.25;

/// Whether X has so few values (about 1 MB) that it stays in the cache, and a pass over it costs next to nothing.
inline bool small(const Matrix& x) { return x.stored() < 100000; }

/// Whether the method for `s` on x works on w, and not on dual variables one row after another. True also for dual solvers where
/// X has few columns.
bool solved_in_w(LinearSolver s, const Matrix& x);

/// Where the penalty has |w|_1: whether the matrix X'DX is formed.
bool forms_hessian(LinearSolver s, const Matrix& x);

/// The name of the method that solves the problem on x, as the report states it.
const char* method_of(const LinearParams& p, const Matrix& x);

/// The part of the tolerance at which the solvers that go through rows or columns in random order stop. LIBLINEAR's objective at
/// its own stop varies with its random numbers. With these parts ours was not above the median of five of its runs on the small
/// and sparse problems that were tried, for about a quarter more passes (l1_squared_hinge: as many again). l1_logistic on
/// newsgroups20b is undecided: that median varies by 3e-3, and ours lies within.
double tightening(const LinearParams& p, const Matrix& x);

/// Few columns: a solver goes on until further Newton steps would gain at most this share of the objective, by estimate
/// (l1_squared_hinge: until the last step gained at most that). LIBLINEAR's own stop rule leaves 3e-5 and more on the tested
/// data, l1_logistic 4e-4 and more.
double last_decrease(const LinearParams& p);

}  // namespace dcsvm::linear
