// What all methods for the multinomial model have in common: their numbers, their line search, when they are over, and their
// report.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linear_fit/multinomial.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/line_search.hpp"

namespace dcsvm::linear_fit {

namespace multinomial {

constexpr double kLoosest = 0.25;  // the accuracy of a direction: of the gain of its steps, relative
constexpr double kFinest = 1e-2;  // of a direction near the optimum: steps then gain two digits
constexpr double kSolved = 1e-8;  // of r'M^-1 r: gains say too little of a nearly singular H (covtype: 1/5 fewer products)

}  // namespace multinomial

/// Where a solve stands.
struct MultinomialState {
  double objective = 0, at_zero = 0;  ///< P(W), P(0)
  double gap = 0;                     ///< P(W) - D; see multinomial.hpp
  double gradient_norm = 0;           ///< at W; of penalties with |w|: of the smallest subgradient
  double centred_norm = 0;            ///< without a penalty: the same in columns less their means
  double zero_gradient_norm = 0;      ///< where all weights are 0 but free biases, which are the best
  double free_norm = 0;    ///< without R = 1/2 |w|^2: of the free biases' part of the gradient
  double zero_slopes = 0;  ///< the unit of that: what the losses' slopes there come to without signs

  /// Puts the best biases, where they are free, into w, which is 0, rows of `width`: logarithms of the classes' shares of the
  /// rows, less their mean. Solves begin there, and its gradient is their unit: adding a number to a column changes nothing in
  /// it.
  void begin(const MultinomialProblem& p, std::vector<double>& w, Index width) {
    std::vector<double> share(static_cast<std::size_t>(p.classes), 0.0);  // of the rows, by C
    double all = 0, mean = 0;
    for (Index i = 0; i < p.rows(); ++i) share[p.class_of[i]] += p.C[i], all += p.C[i];
    at_zero = all * std::log(static_cast<double>(p.classes));
    for (const double C : share) zero_slopes += all > 0 ? 2.0 * C * (1.0 - C / all) * p.exact_x->bias() : 0.0;
    if (!p.has_free_bias()) return;
    for (double& C : share) {
      C = std::log(std::max(C, kTiny * all)) / p.exact_x->bias();
      mean += C / static_cast<double>(p.classes);
    }
    double* const biases = w.data() + (p.cols() - 1) * width;
    for (Index m = 0; m < p.classes; ++m) biases[m] = share[m] - mean;
  }
};

/// |g| of the free biases; g: of the losses, rows of `width`.
inline double free_norm(const MultinomialProblem& p, const std::vector<double>& g, Index width) {
  double squares = 0;
  for (Index m = 0; p.has_free_bias() && m < p.classes; ++m) {
    const double of_bias = g[(p.cols() - 1) * width + m];
    squares += of_bias * of_bias;
  }
  return std::sqrt(squares);
}

/// How well the next direction is to be solved for.
inline double multinomial_accuracy(const MultinomialState& s) {
  return std::clamp(s.gradient_norm / s.zero_gradient_norm, multinomial::kFinest, multinomial::kLoosest);
}

/// The step length, 1 or as many halves of it as Armijo's rule needs; 0: none will do. change(t): of the objective at t, whose
/// derivative is `along`. rounded: the objective's digits say nothing any more; then the whole step is taken if takes() says so.
template <class Change, class Takes>
double multinomial_step(const Change& change, double along, bool rounded, const Takes& takes) {
  if (rounded) return change(1.0) <= optimise::kArmijoShare * along || takes() ? 1.0 : 0.0;
  return optimise::armijo(change, 0.0, along, 1.0).t;
}

/// What is compared with the tolerance. With a penalty: the gap as a share of the smaller of P(W) and P(0) - D; free biases leave
/// no feasible dual variables: the same expression stands for the gap then, in which 1/2 w^2 takes the place of their penalty,
/// or, beside |w|, their gradient is compared too. Without a penalty: the gradient, relative to that at 0, and that of the
/// biases.
inline double multinomial_violation(const MultinomialProblem& p, const MultinomialState& s) {
  if (s.gradient_norm == 0) return 0.0;
  const auto share = [](double norm, double unit) { return norm == 0 ? 0.0 : unit > 0 ? norm / unit : kInfinity; };
  const double of_bias = share(s.free_norm, s.zero_slopes);
  if (p.penalty.none()) return std::max(share(s.centred_norm, s.zero_gradient_norm), of_bias);
  const double unit = std::min(s.objective, s.at_zero - s.objective + s.gap);
  const double of_gap = s.gap <= std::numeric_limits<double>::epsilon() * s.at_zero ? 0.0 : unit > 0 ? s.gap / unit : kInfinity;
  return std::max(of_gap, of_bias);
}

/// Whether a solve is over at this state, which the solution then says. exact: the state was formed from W itself, so that it may
/// be the last one.
inline bool multinomial_ends(const MultinomialProblem& p, const MultinomialState& s, const SolveOptions& options,
                             const Limits& limits, Solution& solution, bool exact = true) {
  solution.limit = options.tol;
  solution.violation = multinomial_violation(p, s);
  const bool met = solution.violation <= options.tol;
  if (met && exact) return true;
  if (!std::isfinite(s.gradient_norm) || !std::isfinite(s.objective)) {
    solution.stop_reason = StopReason::stagnated;
    return true;
  }
  return !met && (limits.cancelled(solution, s.objective, p.rows()) || limits.used_up(solution));
}

inline void report_multinomial(const MultinomialProblem& p, const MultinomialState& s, const Solution& solution,
                               LinearProblemReport& report) {
  report.primal_objective = s.objective;
  report.dual_objective = p.has_dual() ? s.objective - s.gap : kNaN;
  report.violation = multinomial_violation(p, s);
  report.gradient_norm = p.penalty.l1 > 0 ? kNaN : s.gradient_norm;
  report.initial_objective = solution.initial_objective;
  report.initial_gradient_norm = solution.initial_gradient_norm;
  complete(report, solution);
  report.n_support = std::count_if(p.C.begin(), p.C.end(), [](double C) { return C > 0; });
}

}  // namespace dcsvm::linear_fit
