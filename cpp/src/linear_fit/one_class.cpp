// Coordinate descent on pairs of dual variables.
// [1] Chou, Lin, Lin: Dual coordinate descent methods for solving linear one-class SVM (SDM 2020).
//
//   min_a 1/2 |sum a_i x_i|^2,  0 <= a_i <= 1,  sum a_i = nu n.  Gradient G_i = w'x_i.
// A pass computes all gradients and then optimises the pairs of the smallest G below the upper bound with the largest above the
// lower one, a tenth of the rows.
#include "linear_fit/one_class.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linear_fit/stopping.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr double kLeastCurve = 1e-12;  // of a pair, relative to its rows: they may be equal
constexpr double kLeastOneClassTol = 1e-14;  // below it, relative to the gradients' size, only rounding is left
constexpr double kRoundedViolation = 1e-13;  // relative to that size too: what is certain to be met
constexpr double kNoLength = 1e-2;  // factor of the tolerance: w is 0 where it is that much shorter than the sum of a_i |x_i|
constexpr int kMostRenewed = 5;  // see certain()

class GreedyPairs {
 public:
  GreedyPairs(const Matrix& x, const std::vector<Index>& rows, double nu, const SolveOptions& options, base::Context& context)
      : x_(x),
        rows_(rows),
        options_(options),
        context_(context),
        limits_("greedy_pairs", kMostSteps, options, context),
        n_(static_cast<Index>(rows.size())) {
    solution_.w.assign(x.cols(), 0.0);
    solution_.alpha.assign(x.rows(), 0.0);
    scratch_.assign(x.cols(), 0.0);
    g_.assign(n_, 0.0);
    sum_ = nu * static_cast<double>(n_);
    double left = sum_;
    for (Index k = 0; k < n_ && left > 0; ++k) {
      solution_.alpha[rows_[k]] = std::min(1.0, left);
      left -= solution_.alpha[rows_[k]];
      x_.add(rows_[k], solution_.alpha[rows_[k]], solution_.w.data());
    }
    double norms = 0;
    for (const Index i : rows_) norms += x_.norm2(i);
    size_ = sum_ * norms / static_cast<double>(n_);
    wanted_ = std::max(options_.tol, kRoundedViolation * size_);
    tol_ = limit_ = std::max(options_.tol * std::min(1.0, size_), kRoundedViolation * size_);
  }

  Solution run(LinearProblemReport& report) {
    for (;;) {
      gradients();
      solution_.violation = violation();
      if (solution_.violation < tol() && certain() && (may_polish() ? gap_is_small() : reached())) {
        if (!reached()) solution_.stop_reason = StopReason::stagnated;
        break;
      }
      if (limits_.cancelled(solution_, 0.0, n_)) break;
      if (solution_.n_iter >= limits_.steps() && !may_polish()) {
        if (!reached()) solution_.stop_reason = StopReason::max_iter;
        break;
      }
      optimise_pairs();
      ++solution_.n_iter;
    }
    certify(report);
    return std::move(solution_);
  }

 private:
  bool may_polish() const {
    const double passes = 2.0 * static_cast<double>(solution_.n_iter);  // rows are also sorted
    return options_.max_iter == 0 && linear_fit::may_polish(x_, passes, options_) && tol_ > kLeastOneClassTol * size_;
  }
  double tol() const { return may_polish() ? tol_ : limit_; }

  /// Whether the tolerance is met: LIBLINEAR's, which is an absolute one, and as a share of what is achieved. Where the optimum
  /// is w = 0 nothing is. If not, the limit of the violation becomes smaller.
  bool reached() {
    LinearProblemReport now;
    certify(now);
    const double length = std::sqrt(2.0 * quality_.decrease);
    double terms = 0;
    for (const Index i : rows_) terms += solution_.alpha[i] * std::sqrt(x_.norm2(i));
    const bool near = quality_.gap <= options_.tol * quality_.decrease || length <= kNoLength * options_.tol * terms;
    if (near && solution_.violation < wanted_) return true;
    limit_ *= kTighter;
    return limit_ < kLeastOneClassTol * size_ && near;
  }

  /// Whether the duality gap is below kPolishedGap; if not, the tolerance becomes smaller.
  bool gap_is_small() {
    LinearProblemReport now;
    certify(now);
    if (quality_.within(kPolishedGap)) return true;
    tol_ *= kTighter;
    return false;
  }

  double alpha(Index k) const { return solution_.alpha[rows_[k]]; }

  /// Sums w anew from alpha, because steps add rounding to it. True: the violation is below the tolerance there too, or has
  /// failed to be so kMostRenewed times.
  bool certain() {
    x_.transposed(solution_.alpha.data(), solution_.w.data(), *context_.pool);
    gradients();
    solution_.violation = violation();
    return solution_.violation < tol() || ++renewed_ >= kMostRenewed;
  }

  void gradients() {
    context_.pool->for_range(n_, x_.grain(), [&](Index begin, Index end, int) {
      for (Index k = begin; k < end; ++k) g_[k] = x_.dot(rows_[k], solution_.w.data());
    });
  }

  double violation() const {
    double high = -kInfinity, low = kInfinity;
    for (Index k = 0; k < n_; ++k) {
      if (alpha(k) > 0) high = std::max(high, g_[k]);
      if (alpha(k) < 1) low = std::min(low, g_[k]);
    }
    return std::max(0.0, high - low);
  }

  void optimise_pairs() {
    std::vector<Index> up, down;  // may grow, may fall
    up.reserve(n_);
    down.reserve(n_);
    for (Index k = 0; k < n_; ++k) {
      if (alpha(k) < 1) up.push_back(k);
      if (alpha(k) > 0) down.push_back(k);
    }
    const Index pairs = std::min({std::max<Index>(1, n_ / 10), static_cast<Index>(up.size()), static_cast<Index>(down.size())});
    const auto smaller = [&](Index a, Index b) { return g_[a] != g_[b] ? g_[a] < g_[b] : a < b; };
    const auto larger = [&](Index a, Index b) { return g_[a] != g_[b] ? g_[a] > g_[b] : a < b; };
    std::partial_sort(up.begin(), up.begin() + pairs, up.end(), smaller);
    std::partial_sort(down.begin(), down.begin() + pairs, down.end(), larger);
    for (Index t = 0; t < pairs; ++t) {
      if ((t & 1023) == 0) context_.pool->poll();
      if (up[t] != down[t]) optimise(rows_[up[t]], rows_[down[t]]);
    }
  }

  void optimise(Index i, Index j) {
    double* w = solution_.w.data();
    double &ai = solution_.alpha[i], &aj = solution_.alpha[j];
    const double gain = x_.dot(j, w) - x_.dot(i, w);
    if (gain == 0) return;
    x_.add(i, 1.0, scratch_.data());
    const double inner = x_.dot(j, scratch_.data());
    x_.each(i, [&](Index c, double) { scratch_[c] = 0.0; });
    const double norms = x_.norm2(i) + x_.norm2(j), curve = std::max(kLeastCurve * norms, norms - 2.0 * inner);
    // Pairs before this one may have turned the order of the two gradients round.
    const double t = std::clamp(gain / curve, std::max(-ai, aj - 1.0), std::min(1.0 - ai, aj));
    const double old_i = ai, old_j = aj;
    ai = t == 1.0 - old_i ? 1.0 : t == -old_i ? 0.0 : old_i + t;
    aj = t == old_j ? 0.0 : t == old_j - 1.0 ? 1.0 : old_j - t;
    x_.add(i, t, w);
    x_.add(j, -t, w);
  }

  /// Sets rho, the mean gradient of the free variables or else what the bounds leave, and fills the report.
  void certify(LinearProblemReport& report) {
    x_.transposed(solution_.alpha.data(), solution_.w.data(), *context_.pool);
    gradients();
    double free_sum = 0, high = kInfinity, low = -kInfinity;
    Index free = 0;
    for (Index k = 0; k < n_; ++k) {
      if (alpha(k) <= 0) {
        high = std::min(high, g_[k]);
      } else if (alpha(k) >= 1) {
        low = std::max(low, g_[k]);
      } else {
        free_sum += g_[k];
        ++free;
      }
    }
    solution_.rho = free > 0                                    ? free_sum / static_cast<double>(free)
                    : std::isfinite(high) && std::isfinite(low) ? 0.5 * (high + low)
                    : std::isfinite(low)                        ? low
                                                                : high;
    const double norm = 0.5 * std::inner_product(solution_.w.begin(), solution_.w.end(), solution_.w.begin(), 0.0);
    double loss = 0, gap = 0;
    for (Index k = 0; k < n_; ++k) {
      const double below = solution_.rho - g_[k];
      loss += std::max(0.0, below);
      gap += below > 0 ? (1.0 - alpha(k)) * below : -alpha(k) * below;
    }
    quality_ = {gap, norm, norm + loss - sum_ * solution_.rho};  // P(0) is 0, with rho = 0
    report.primal_objective = norm + loss - sum_ * solution_.rho;
    report.dual_objective = -norm;
    report.violation = solution_.violation = violation();
    report.gradient_norm = std::numeric_limits<double>::quiet_NaN();
    report.stop_reason = solution_.stop_reason;
    report.n_iter = solution_.n_iter;
    report.n_support = std::count_if(solution_.alpha.begin(), solution_.alpha.end(), [](double v) { return v != 0; });
    report.n_nonzero = std::count_if(solution_.w.begin(), solution_.w.end(), [](double v) { return v != 0; });
  }

  const Matrix& x_;
  const std::vector<Index>& rows_;
  const SolveOptions& options_;
  base::Context& context_;
  Limits limits_;
  Index n_;
  double sum_ = 0, size_ = 0;  // of the dual variables; of the gradients, about
  double wanted_ = 0;  // the tolerance, or what rounding leaves of large features
  double limit_ = 0, tol_ = 0;  // of the violation; likewise while it polishes
  Quality quality_;  // as certify() found it
  std::vector<double> g_, scratch_;
  int renewed_ = 0;
  Solution solution_;
};

}  // namespace

Solution solve_one_class(const Matrix& x, const std::vector<Index>& rows, double nu, const SolveOptions& options,
                         base::Context& context, LinearProblemReport& report) {
  return GreedyPairs(x, rows, nu, options, context).run(report);
}

}  // namespace dcsvm::linear_fit
