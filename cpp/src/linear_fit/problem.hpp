// One problem of a training: a class against the rest, or a regression; and what its solvers share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "dcsvm/linear.hpp"
#include "linear_fit/loss.hpp"
#include "linear_fit/penalty.hpp"
#include "products/hessian_diagonal.hpp"
#include "products/matrix.hpp"

namespace dcsvm::linear_fit {

using products::HessianDiagonal;
using products::Matrix;

/// What a solve of one problem holds at most: vectors with an entry for each row or column, and matrices of the columns.
inline constexpr double kHeldVectors = 12, kHeldMatrices = 3;  ///< the most of all methods but multinomial_wide.cpp
inline constexpr double kTiny = 1e-12;  ///< relative: what may be rounding alone; curvatures that may be 0 are raised by it

/// How far w is from the optimum at most, and what has been achieved: their ratio depends on no unit of X, y or C. A quantity
/// that is large at the start, as the losses are where w must stay small, would call the start a solution.
struct Quality {
  double gap = kInfinity;  ///< P(w) - D; infinity: no dual variables are known
  double decrease = 0;     ///< P(0) - D
  double objective = 0;    ///< P(w)
  double terms = 0;  ///< 1/2 sum |alpha_i x_i|^2, which the decrease falls below only where rows cancel; 0: is not looked at
  /// What a gap is compared with: the smaller of the objective and the decrease from w = 0.
  double unit() const { return std::min(std::abs(objective), decrease); }
  /// The same for a solve with this tolerance. Where the optimum is w = 0 the decrease tends to 0 with the gap, and says nothing
  /// of it: both are compared with the terms.
  double unit(double tol) const {
    constexpr double kNothing = 1e-6;  // of the terms, however loose the tolerance is
    return decrease <= std::min(tol, kNothing) * terms ? std::min(std::abs(objective), terms) : unit();
  }
  /// The gap as a share of unit(); 0 where w is the optimum, however small that is.
  double relative() const { return share_of(unit()); }
  double relative(double tol) const { return share_of(unit(tol)); }
  bool within(double share) const { return gap <= share * unit(); }

 private:
  double share_of(double unit) const { return gap <= 0 ? 0.0 : unit > 0 ? gap / unit : kInfinity; }
};

/// A bias that is free has a unit of its own, beside that of the features: what is a small part of all violations may be all of
/// its own. So violations are also compared without it, with those at w = 0, and it with the sum of the losses' slopes there.
struct FreeBias {
  double of_others = 0, of_bias = 0;  ///< factors that make both shares of `all` at w = 0; 0: the bias is not free

  double violation(double all, double others, double bias) const { return std::max({all, of_others * others, of_bias * bias}); }
};

/// min_w R(w) + sum_i loss_i(w'x_i), R the penalty of each weight. Rows of weight 0 take no part.
struct Problem {
  const Matrix* x = nullptr;
  Loss loss = Loss::squared_hinge;
  Penalty penalty;
  std::vector<double> y;  ///< -1 or +1, or the targets
  std::vector<double> C;  ///< of each row, the factor of its loss, >= 0; 0: the row takes no part
  double width = 0.0;  ///< regression: half width of the tube without loss
  bool regularize_bias = true;
  std::vector<double> shift;  ///< of the smooth losses
  double sigma = 1.0;  ///< likewise

  Index rows() const { return x->rows(); }
  Index cols() const { return x->cols(); }
  RowLoss row(Index i) const { return {loss, {y[i], C[i], width, shift.empty() ? 0.0 : shift[i], sigma, 1.0 / sigma}}; }
  /// sum of the losses at z + t s; the same for any number of threads.
  double losses(const std::vector<double>& z, double t, const std::vector<double>& s, base::ThreadPool& pool) const;
  /// Derivative of that by t.
  double slope_along(const std::vector<double>& z, double t, const std::vector<double>& s, base::ThreadPool& pool) const;
  /// First and second derivative of each row's loss at z, 0 for rows of weight 0.
  void derivatives(const std::vector<double>& z, std::vector<double>& slope, std::vector<double>& curvature,
                   base::ThreadPool& pool) const;
  /// Of w with z = Xw, and feasible dual variables alpha with u = sum alpha_i x_i; objective: P(w). Both differences are sums of
  /// terms that are not negative, so that no digits are lost where they are far smaller than the objective. With a bias that is
  /// not regularised, alpha = -slope is not feasible: 1/2 |gradient|^2 stands for the gap.
  Quality quality(double objective, const std::vector<double>& w, const std::vector<double>& z, const std::vector<double>& alpha,
                  const std::vector<double>& u, base::ThreadPool& pool) const;
  /// a'b over the weights that are regularised.
  double regularized_product(const std::vector<double>& a, const std::vector<double>& b) const;
  bool is_penalized(Index j) const { return regularize_bias || j < x->features() || !x->has_bias(); }
  Penalty of(Index j) const { return is_penalized(j) ? penalty : Penalty{0.0, 0.0}; }
  bool l1() const { return penalty.l1 > 0; }
  /// The penalty of w_j is 1/2 w_j^2, where no weight has |w_j|; else w_j is free.
  bool regularized(Index j) const { return penalty.l2 > 0 && is_penalized(j); }
  /// The bias is free, and other weights are not: it is the last of them.
  bool has_free_bias() const { return !penalty.none() && !is_penalized(cols() - 1); }
  /// all, others: violations at w = 0, where the losses have these slopes.
  FreeBias free_bias(double all, double others, const std::vector<double>& slope) const;
  /// Whether the slopes of the losses give feasible dual variables. A free weight demands that a sum of them is 0.
  bool has_dual() const { return !penalty.none() && regularize_bias; }
};

struct SolvedPoint {
  std::vector<double> w, z;  ///< z = Xw
};

/// What Newton's method leaves for the same problem with another C: it starts from there, and adds its own solution.
struct Path {
  std::vector<SolvedPoint> points;  ///< of the last values of C that changed w, in their order
  double C = 0;  ///< LinearParams::C of the last solve
  double zero_gradient = 0;  ///< norm of the losses' gradient at w = 0, with this C
  std::vector<double> gradient;  ///< the losses' at the last point, with this C
  FreeBias free_bias;            ///< likewise
  HessianDiagonal squares;  ///< with this C
  bool stayed = false;  ///< the last solve's tolerance was met by the last point
  double row_norm = 0;  ///< the largest |x_i|
  double rounding = 0;  ///< relative, of the values that the solver reads
};

struct SolveOptions {
  double tol = 0.01;
  std::int64_t max_iter = 0;  ///< 0: the solver's own limit
  std::uint64_t seed = 0;
  const std::vector<double>* start = nullptr;  ///< w, or null
  const std::vector<double>* start_alpha = nullptr;  ///< descent on the dual: feasible variables, or null
  Path* path = nullptr;  ///< Newton; once it has points, they are the start
  double C = 1.0;  ///< read with a path: LinearParams::C, which is a factor of every Problem::C
  /// Newton, where it is not 0: the solve ends when the gap between w and the dual variables -slope is below this share of
  /// Quality::unit(), and tol is not read. Descent on blocks: the relative duality gap that it must reach, besides tol.
  double relative_gap = 0.0;
  /// Descent on the dual: the share of tol that all rows must meet when they are visited. Each of them meets it less well at the
  /// end: a solve that its certificate does not confirm goes on with a smaller share.
  double visit_part = 1.0;
  /// Work, in values of X that are read, that is too little to be noticed. A solve that has met its tolerance goes on until it
  /// has done that much or the gap is kPolishedGap of Quality::unit(), so that on small data the objective does not depend on
  /// where the last step happened to end.
  double polish = 0.0;
};

/// What a solver compares with its tolerance, so that it can be computed again from X itself (certificate.cpp).
enum class Rule {
  none,
  gradient,  ///< |gradient|_2
  gradient_gap,  ///< 1/2 |gradient|^2, the gap between w and the dual variables -slope, as a share of Quality::unit()
  gap,  ///< Quality::relative() of w and alpha
  subgradient,  ///< with |w|_1: sum of the columns' Penalty::distance
  rows,  ///< the rows' projected gradients of the dual problem: hinge: range, tube: sum, logistic: largest
};

struct Solution {
  std::vector<double> w;  ///< cols
  std::vector<double> alpha;  ///< dual variables, w = sum alpha_i x_i; empty: -slope(w'x_i) stands for them
  bool w_is_sum = false;  ///< w is to be computed as that sum
  double rho = 0.0;
  double violation = 0.0;
  Rule rule = Rule::none;  ///< what `violation` is
  FreeBias free_bias;  ///< Rule::gradient and subgradient
  double violation_unit = 1.0;  ///< Rule::rows: `violation` is a multiple of it
  double limit = 0.0;  ///< the solve ends where `violation` is not above it
  double gap_limit =
      kInfinity;  ///< Rule::rows: and where the gap is not above this share of what certificate.cpp compares it with
  double rounding = kInfinity;  ///< by how much `violation` can be wrong at most, because rounded values were read; paths only
  double objective = 0.0;  ///< paths only
  double initial_objective = 0.0, initial_gradient_norm = 0.0;
  StopReason stop_reason = StopReason::converged;
  std::int64_t n_iter = 0, n_inner = 0;
};

/// min(pos, neg) / rows for classifiers, by which LIBLINEAR multiplies its tolerance; 1 for regression.
double class_balance(const Problem& problem);

/// What is known of w: objectives, gradient, violation (by the solution's rule) and counts, computed in double from w and X.
struct Certificate {
  LinearProblemReport report;
  Quality quality;
  /// What the solution's rule and its limit of the gap say here; true without a rule. As far as double can tell.
  bool confirms = true;
};
/// Adds what the solution says of its steps and weights.
void complete(LinearProblemReport& report, const Solution& solution);
Certificate certificate(const Problem& problem, const Solution& solution, base::ThreadPool& pool);
/// The same where z = Xw is known and the loss has a kink.
Certificate certificate_at(const Problem& problem, const Solution& solution, const std::vector<double>& z,
                           base::ThreadPool& pool);
struct Candidate {
  const Problem* problem = nullptr;
  const Solution* solution = nullptr;
};
/// The same for several problems on the same X, at most kMostLanes.
std::vector<Certificate> certificates(const std::vector<Candidate>& all, base::ThreadPool& pool);
/// Whether a vector of this length, sum coefficient_i x_i, is what rounding leaves of terms that cancel.
bool is_rounding(double length, const Matrix& x, const std::vector<double>& coefficient, base::ThreadPool& pool);
/// Whether the gradient of a smooth problem, 1/2 |gradient|^2 = gap, is what rounding leaves of it.
bool exhausted(const Problem& problem, const std::vector<double>& slope, double gap, double unit, base::ThreadPool& pool);
/// Whether w = 0 is the optimum: the condition of optimality, of which a sum over the rows cancels there, is met up to that sum's
/// rounding. No solver can tell that by what it gains, because there is nothing to gain. Fills alpha, the dual variables at 0.
bool zero_is_optimum(const Problem& problem, std::vector<double>& alpha, base::ThreadPool& pool);

inline constexpr double kExhausted = 1e-14;  ///< a duality gap, as a share of Quality::unit(), that double cannot tell from 0

struct NewtonProblem {
  const Problem* problem = nullptr;
  SolveOptions options;
};

// The solvers, one file each.
/// Smooth losses; several problems have the same X, and are at most kMostLanes.
std::vector<Solution> solve_newton(const std::vector<NewtonProblem>& problems, base::Context& context);
Solution solve_newton(const Problem& problem, const SolveOptions& options, base::Context& context);
/// hinge and tube, for few columns.
Solution solve_augmented_lagrangian(const Problem& problem, const SolveOptions& options, base::Context& context);
Solution solve_dual_descent(const Problem& problem, const SolveOptions& options, base::Context& context);

}  // namespace dcsvm::linear_fit
