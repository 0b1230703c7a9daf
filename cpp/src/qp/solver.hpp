// The box-constrained quadratic program behind every formulation.
//
//     min  f(b) = 1/2 b'K b - q'b     subject to   lo_i <= b_i <= hi_i   and, when `equality`, sum_i b_i = its value at the start
//
// K is unsigned. C-SVC with labels y_i in {+1,-1} and alpha_i in [0, C_i]: b_i = y_i alpha_i, q_i = y_i, box [0, C_i] for y_i =
// +1 and [-C_i, 0] for -1; then f is LIBSVM's dual objective. g = q - K b is the ascent direction; up = {b_i < hi_i}, low = {b_i
// > lo_i}. KKT violation: with equality max_up g - min_low g; without: max(max_up g, max_low -g, 0).
//
// With `group` the variables of group 0 and those of group 1 each keep their own sum (nu-SVC and nu-SVR; Schoelkopf, Smola,
// Williamson and Bartlett 2000): violating pairs are of one group, and the KKT violation is the
// larger of the two groups' (Chang and Lin 2011, section 4.1.5).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/context.hpp"
#include "dcsvm/call.hpp"
#include "kernel_matrix/row_source.hpp"

namespace dcsvm::qp {

struct Problem {
  Index n = 0;
  const double* q = nullptr;
  const double* lo = nullptr;
  const double* hi = nullptr;
  bool equality = true;
  const std::uint8_t* group = nullptr;  ///< 0 or 1 for each variable; null: all 0. Needs `equality`

  std::size_t group_of(Index i) const { return group != nullptr ? group[i] : 0; }
};

/// Active sets of up to so many variables are solved on one tile (16 MB in float): all of their kernel values are computed.
constexpr Index kWholeTile = 2048;

class SavedSolve;
struct Origins;

/// What is judged in double at the end of a solve (verify.hpp).
enum class Verify {
  nothing,  ///< another solve follows, and no report states this one
  report,  ///< what the result says of the solution; the solution stays
  violation,  ///< only the violation: the solve goes on where it is not below tol, and the objective is one of floats
  solution,  ///< the violation and the objective, which may take support^2 / 2 kernel values more
};

struct Options {
  double tol = 1e-3;
  std::int64_t max_iter = -1;  ///< SMO steps; -1: LIBSVM's ceiling, max(10^7, 100 n)
  bool shrinking = true;
  bool gradient_given = false;  ///< `gradient` holds q - K beta at the start, as an earlier solve left it or the caller knows it
  /// Of the gradient: of the one given, as an earlier solve left them, and on return of the one that is left. Null: not known,
  /// not wanted. Between solves their left_out is 0, and `left_out` has what the gradient lacks.
  Origins* origins = nullptr;
  double left_out = 0;  ///< bound on the error of the given gradient: Result::left_out
  double accepted_tol = 0;  ///< >= tol: the violation in double below which a solution is accepted; 0: tol
  double allowed_gap = 10;  ///< times tol: a relative gap above it is worked on (scaled_solve.hpp)
  bool absolute = false;  ///< tol alone decides, also where the solution is small in its unit (scaled_solve.hpp)
  Verify verify = Verify::solution;
  SavedSolve* saved = nullptr;  ///< set by solve: what keeps the variables meanwhile (saved_solve.hpp)
};

/// The SMO steps that options.max_iter allows.
inline std::int64_t step_limit(const Options& options, Index n) {
  return options.max_iter >= 0 ? options.max_iter : std::max<std::int64_t>(10000000, 100 * std::int64_t{n});
}

struct Result {
  StopReason stop_reason = StopReason::converged;
  double objective = 0;
  double violation = 0;  ///< of all n variables, to the digits of gradients in double (`verify`); plus twice left_out
  bool in_double = false;  ///< float kernel values could not reach tol: the solve was finished in double
  double left_out = 0;  ///< bound on the effect of left-out kernel values (RowSource::negligible) on a gradient
  bool renewed = false;  ///< the gradient was formed anew on the way, from all coefficients
  double bias = 0;  ///< c of the decision sum_i b_i K(x_i, x) + c (LIBSVM's -rho), of group 0; 0 without equality
  double bias1 = 0;  ///< the same of group 1
  double hidden = 0;  ///< what the rounding of double may hide of the violation (verify.hpp)
  double tol = 0;  ///< at which the solution was accepted: accepted_tol, or that of a further round (scaled_solve.hpp)
  double gap = std::numeric_limits<double>::infinity();  ///< P - D (scaled_solve.hpp); infinity: not computed
  double relative_gap = 0;  ///< (P - D) / (P(0) - D), where it is above what is allowed (scaled_solve.hpp)
  std::int64_t n_iter = 0;
  std::int64_t peak_bytes = 0;  ///< rows, packed columns and tiles held at once
  Index n_support = 0;  ///< variables other than 0
  Index n_bounded = 0;  ///< those at a bound
  double seconds_rows = 0, seconds_inner = 0, seconds_select = 0, seconds_update = 0;  ///< by phase

  /// The violation is below tol, with what is hidden of it if that is more than a fiftieth of tol: less is beside what an answer
  /// depends on, and every solution in double hides some of it.
  bool is_below(double at) const {
    constexpr double kLeftOutOfAccount = 0.02;
    return violation + (hidden > kLeftOutOfAccount * at ? hidden : 0.0) < at;
  }
};

/// Solves from the feasible start `beta` (size n; overwritten by the solution). A start of zeros costs nothing; any other costs
/// n x (non-zeros) kernel values. Throws CapError when not even two rows fit context.cap_bytes, DataError when
/// values of K are not finite, Interrupted.
/// `gradient` (size n, or null) receives g at the solution (and gives it at the start with Options::gradient_given).
/// Deterministic for any number of threads. Unless Options::verify says otherwise, the result is judged, and if need be improved,
/// in double (verify.hpp), so that a violation and an objective that are computed again in double agree with the result's. With
/// context.place the solve is kept in the call's checkpoint, and goes on from what a call before kept of it.
template <class T>
Result solve(const kernel_matrix::RowSource<T>& source, const Problem& problem, const Options& options, double* beta,
             double* gradient, base::Context& context, Progress progress = {});

}  // namespace dcsvm::qp
