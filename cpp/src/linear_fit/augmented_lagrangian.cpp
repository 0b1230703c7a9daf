// hinge and tube for few columns: the augmented Lagrangian method, whose inner problems are smooth and solved by Newton's method.
// [1] Rockafellar: Augmented Lagrangians and applications of the proximal point algorithm (Mathematics of Operations Research 1,
//     1976).
// [2] Li, Sun, Toh: A highly efficient semismooth Newton augmented Lagrangian method for solving Lasso problems (SIAM Journal on
//     Optimization 28, 2018).
//
// Of min_w 1/2 |w|^2 + sum loss_i(w'x_i), the inner problem replaces each loss by its Moreau envelope, shifted by the row's dual
// variable alpha_i (loss.hpp). At its solution alpha_i = -slope, which is feasible; the next round shifts by that. sigma grows,
// so that few rounds are needed. Only rows in the curved part of the envelope are in the Hessian: near the solution, the free
// ones.
//
// With sum alpha_i x_i = w - g, the gap between w and alpha is sum [loss_i + alpha_i z_i - dual_term_i(alpha_i)] + 1/2 |g|^2.
#include <algorithm>
#include <cmath>

#include "linear_fit/stopping.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr double kFirstCurve = 1.0 / 16;  // width of the first envelope of a tube, as a share of the mean loss at w = 0
constexpr double kLeastGrowth = 2.0, kMostGrowth = 5.0;  // of sigma in a round: more needs fewer rounds, but longer ones

/// The sum of the losses at w = 0 over the sum of the C_i.
double mean_loss_at_zero(const Problem& problem) {
  double losses = 0, prices = 0;
  for (Index i = 0; i < problem.rows(); ++i) {
    losses += problem.row(i).value(0.0);
    prices += problem.C[i];
  }
  return prices > 0 ? losses / prices : 0.0;
}

}  // namespace

Solution solve_augmented_lagrangian(const Problem& problem, const SolveOptions& options, base::Context& context) {
  const Index n = problem.rows();
  Problem inner = problem;
  inner.loss = traits_of(problem.loss).envelope;
  inner.shift.assign(n, 0.0);
  const double largest = *std::max_element(problem.C.begin(), problem.C.end());
  // The curved part of the envelope is C / sigma wide. A hinge at w = 0: every row is in it. Targets have a scale of their own.
  const double mean_loss = of_targets(problem.loss) ? mean_loss_at_zero(problem) : 0.0;
  const double scale = mean_loss > 0 ? mean_loss : 1.0;
  inner.sigma = largest > 0 ? largest / (mean_loss > 0 ? kFirstCurve * scale : 2.0) : 1.0;
  const double most_sigma = std::max(inner.sigma, kMostSigma * largest / scale);
  SolveOptions inner_options = options;
  inner_options.relative_gap = 1e-2;
  inner_options.polish = 0.0;
  Solution best;
  std::vector<double> z(n);
  for (int round = 0;; ++round) {
    Solution s = solve_newton(inner, inner_options, context);
    s.n_iter += best.n_iter;
    s.n_inner += best.n_inner;
    problem.x->product(s.w.data(), z.data(), *context.pool);
    s.alpha.resize(n);
    for (Index i = 0; i < n; ++i) s.alpha[i] = problem.C[i] > 0 ? -inner.row(i).slope(z[i]) : 0.0;
    s.rule = Rule::gap;
    s.violation = certificate_at(problem, s, z, *context.pool).quality.relative();
    s.limit = options.relative_gap;
    const bool was_reached = round > 0 && best.violation <= options.relative_gap;
    if (was_reached && s.stop_reason != StopReason::cancelled && !(s.violation < best.violation)) {  // rounding allows no more
      best.n_iter = s.n_iter;
      best.n_inner = s.n_inner;
      best.stop_reason = StopReason::converged;
      return best;
    }
    best = std::move(s);
    if (best.stop_reason == StopReason::cancelled || !std::isfinite(best.violation)) return best;
    const bool reached = best.violation <= options.relative_gap;
    const bool polish = half_left(best, options) && may_polish(*problem.x, newton_passes(best), options);
    const bool done = reached && (best.violation <= kPolishedGap || !polish);
    if (done || round + 1 == kMostRounds || (options.max_iter > 0 && best.n_iter >= options.max_iter)) {
      best.stop_reason = reached ? StopReason::converged : StopReason::max_iter;
      return best;
    }
    inner.shift = best.alpha;
    const double goal = reached ? kPolishedGap : options.relative_gap;
    const double growth = std::clamp(best.violation / goal, kLeastGrowth, kMostGrowth);
    inner.sigma = std::min(inner.sigma * growth, most_sigma);
    inner_options.relative_gap = std::max(0.2 * goal, std::min(inner_options.relative_gap, 0.1 * best.violation));
    inner_options.start = &best.w;
  }
}

}  // namespace dcsvm::linear_fit
