// What both methods for the multinomial model have in common: their numbers, when they are over, and their report.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear_fit/multinomial.hpp"
#include "linear_fit/stopping.hpp"

namespace dcsvm::linear_fit {

namespace multinomial {

constexpr double kLoosest = 0.25;  // the accuracy of a direction: of the gain of its steps, relative
constexpr double kFinest = 1e-2;
constexpr Index kMostProducts = 1000;  // of a direction
constexpr double kSolved = 1e-8;       // r'M^-1 r relative to the first, at which a direction ends in any case
constexpr double kRounding = 1e-11;    // relative: a change of the objective that its sum over the rows may hide
constexpr double kShare = 0.01;        // of the gain that the gradient promises, which a step must have
constexpr int kMostHalvings = 30;

}  // namespace multinomial

/// Where a solve stands.
struct MultinomialState {
  double objective = 0, at_zero = 0;                ///< P(W), P(0)
  double gradient_norm = 0, zero_gradient_norm = 0;  ///< at W, at 0
};

/// What is compared with the tolerance. With a penalty: the gap 1/2 |gradient|^2 as a share of the smaller of P(W) and P(0) - D
/// (a bias that is not regularised leaves no feasible dual variables, and the same expression stands for the gap); else the
/// gradient's norm, relative to that at W = 0.
inline double multinomial_violation(const MultinomialProblem& p, const MultinomialState& s) {
  if (s.gradient_norm == 0) return 0.0;
  if (!p.penalty) return s.zero_gradient_norm > 0 ? s.gradient_norm / s.zero_gradient_norm : kInfinity;
  constexpr double kRounding = 1e-15;  // of the objective
  const double gap = 0.5 * s.gradient_norm * s.gradient_norm;
  const double unit = std::min(s.objective, s.at_zero - s.objective + gap);
  return gap <= kRounding * s.at_zero ? 0.0 : unit > 0 ? gap / unit : kInfinity;
}

inline void report_multinomial(const MultinomialProblem& p, const MultinomialState& s, const Solution& solution,
                               LinearProblemReport& report) {
  report.primal_objective = s.objective;
  report.dual_objective = p.penalty && p.regularize_bias ? s.objective - 0.5 * s.gradient_norm * s.gradient_norm
                                                         : std::numeric_limits<double>::quiet_NaN();
  report.violation = multinomial_violation(p, s);
  report.gradient_norm = s.gradient_norm;
  report.initial_objective = solution.initial_objective;
  report.initial_gradient_norm = solution.initial_gradient_norm;
  complete(report, solution);
  report.n_support = std::count_if(p.C.begin(), p.C.end(), [](double C) { return C > 0; });
}

}  // namespace dcsvm::linear_fit
