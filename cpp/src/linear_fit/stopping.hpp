// When a solve is over, apart from its tolerance, which is each method's own: asked by all solvers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "linear_fit/problem.hpp"

namespace dcsvm::linear_fit {

inline constexpr int kMostContinued = 3;  ///< how often a solve goes on because X itself did not confirm its solution
inline constexpr std::int64_t kMostSteps = 1000;  ///< of Newton's methods: more only where rounding hides what they gain
inline constexpr int kMostRounds = 100;  ///< of augmented Lagrangian methods and inner solves (LIBLINEAR's): they end long before
/// The weight sigma of an augmented Lagrangian, as a multiple of where it begins to matter.
inline constexpr double kMostSigma = 1e7;  ///< beyond it rounding hides what the inner problems gain
inline constexpr double kRounding = 1e-11;  ///< relative: a change of the objective that its sum over the rows may hide
inline constexpr double kTighter = 0.3;  ///< factor of the tolerance of a descent that met it while the gap is still too large
inline constexpr double kLastGain = 1e-4;  ///< narrow X, where steps are cheap: what all others may gain, of Quality::unit()
inline constexpr double kPolishedGap = 2e-7;  ///< Quality::relative() at which polishing ends

/// Whether a solve ended without what it was asked for, and not because the host cancelled it.
inline bool gave_up(StopReason r) { return r == StopReason::stagnated || r == StopReason::max_iter; }

/// Whether so many passes over X are less work than SolveOptions::polish. Rows cost something even where they hold no values.
inline bool may_polish(const Matrix& x, double passes, const SolveOptions& options) {
  return passes * static_cast<double>(x.stored() + x.rows()) < options.polish;
}
/// Passes over X of Newton's methods, from their counts of products and steps.
inline double newton_passes(const Solution& so_far) {
  constexpr int kStepPasses = 12;  // that a step costs besides conjugate gradients, about
  return static_cast<double>(2 * so_far.n_inner + kStepPasses * so_far.n_iter);
}
/// Whether polishing has steps left: half of those that the caller allows, of whom many take the last one for a failure.
inline bool half_left(const Solution& so_far, const SolveOptions& options) {
  return options.max_iter == 0 || 2 * so_far.n_iter < options.max_iter;
}

/// Polls for Ctrl-C and reports progress; true: the host cancelled.
inline bool cancelled(base::Context& context, const char* phase, const Solution& so_far, double objective, Index active) {
  context.pool->poll();
  if (context.monitor == nullptr) return false;
  if (!context.monitor->due()) return context.monitor->cancelled();
  Progress now;
  now.phase = phase;
  now.total = 1;
  now.n_iter = so_far.n_iter;
  now.violation = so_far.violation;
  now.objective = objective;
  now.active = active;
  now.n_support = std::count_if(so_far.alpha.begin(), so_far.alpha.end(), [](double a) { return a != 0; });
  return context.monitor->progress(now, true);
}

/// Ends a solve that the host cancels, or whose steps are as many as are allowed.
class Limits {
 public:
  /// phase: for Hooks::progress. own: steps that are allowed where SolveOptions::max_iter says nothing.
  Limits(const char* phase, std::int64_t own, const SolveOptions& options, base::Context& context)
      : phase_(phase), steps_(options.max_iter > 0 ? options.max_iter : own), context_(context) {}

  std::int64_t steps() const { return steps_; }
  /// To be asked in each step, and between its passes over X. True: the host cancelled, and the solution says so.
  bool cancelled(Solution& s, double objective, Index active) const {
    const bool ends = linear_fit::cancelled(context_, phase_, s, objective, active);
    if (ends) s.stop_reason = StopReason::cancelled;
    return ends;
  }
  /// True: no step is left, and the solution says so.
  bool used_up(Solution& s) const {
    const bool ends = s.n_iter >= steps_;
    if (ends) s.stop_reason = StopReason::max_iter;
    return ends;
  }

 private:
  const char* phase_;
  std::int64_t steps_;
  base::Context& context_;
};

/// By how much the last steps of a solve have lowered the objective.
class Gains {
 public:
  void add(double gain) {
    before_ = last_;
    last_ = gain;
  }
  double last() const { return last_; }
  /// An estimate of what all further steps would gain: a geometric series, in which each gains as much less than the one before
  /// it as the last one did. Where only one step is known, what that gained.
  double remaining() const {
    if (last_ <= 0 || !(before_ > 0) || std::isinf(before_)) return std::max(0.0, last_);
    return last_ < before_ ? last_ * last_ / (before_ - last_) : kInfinity;
  }

 private:
  double before_ = 0, last_ = 0;
};

}  // namespace dcsvm::linear_fit
