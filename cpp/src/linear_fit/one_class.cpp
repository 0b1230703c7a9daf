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

constexpr double kNoLength = 1e-2;  // factor of the tolerance: w is 0 where it is that much shorter than the sum of a_i |x_i|

class GreedyPairs {
 public:
  GreedyPairs(const OneClassProblem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem),
        x_(*problem.x),
        rows_(problem.rows),
        options_(options),
        context_(context),
        limits_("greedy_pairs", kMostSteps, options, context),
        n_(static_cast<Index>(problem.rows.size())) {
    solution_.w.assign(x_.cols(), 0.0);
    solution_.alpha.assign(x_.rows(), 0.0);
    solution_.w_is_sum = true;
    scratch_.assign(x_.cols(), 0.0);
    g_.assign(n_, 0.0);
    sum_ = problem.nu * static_cast<double>(n_);
    double left = sum_;
    for (Index k = 0; k < n_ && left > 0; ++k) {
      solution_.alpha[rows_[k]] = std::min(1.0, left);
      left -= solution_.alpha[rows_[k]];
      x_.add(rows_[k], solution_.alpha[rows_[k]], solution_.w.data());
    }
    double norms = 0;
    for (const Index i : rows_) norms += x_.norm2(i);
    size_ = sum_ * norms / static_cast<double>(n_);
    wanted_ = std::max(options_.tol, kTiny * size_);
    tol_ = limit_ = std::max(options_.tol * std::min(1.0, size_), kTiny * size_);
  }

  Solution run() {
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
    certify();
    return std::move(solution_);
  }

 private:
  bool may_polish() const {
    const double passes = 2.0 * static_cast<double>(solution_.n_iter);  // rows are also sorted
    return options_.max_iter == 0 && linear_fit::may_polish(x_, passes, options_) && tol_ > kTiny * size_;
  }
  double tol() const { return may_polish() ? tol_ : limit_; }

  /// Whether the tolerance is met: LIBLINEAR's, which is an absolute one, and as a share of what is achieved. Where the optimum
  /// is w = 0 nothing is. If not, the limit of the violation becomes smaller.
  bool reached() {
    certify();
    const double length = std::sqrt(2.0 * quality_.decrease);
    double terms = 0;
    for (const Index i : rows_) terms += solution_.alpha[i] * std::sqrt(x_.norm2(i));
    const bool near = quality_.gap <= options_.tol * quality_.decrease || length <= kNoLength * options_.tol * terms;
    if (near && solution_.violation < wanted_) return true;
    limit_ *= kTighter;
    return limit_ < kTiny * size_ && near;
  }

  /// Whether the duality gap is below kPolishedGap; if not, the tolerance becomes smaller.
  bool gap_is_small() {
    certify();
    if (quality_.within(kPolishedGap)) return true;
    tol_ *= kTighter;
    return false;
  }

  double alpha(Index k) const { return solution_.alpha[rows_[k]]; }

  /// Sums w anew from alpha, because steps add rounding to it. True: the violation is below the tolerance there too, or has
  /// failed to be so kMostContinued times.
  bool certain() {
    x_.transposed(solution_.alpha.data(), solution_.w.data(), *context_.pool);
    gradients();
    solution_.violation = violation();
    return solution_.violation < tol() || ++renewed_ >= kMostContinued;
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
      if (t % products::kRowPiece == 0) context_.pool->poll();
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
    const double norms = x_.norm2(i) + x_.norm2(j), curve = std::max(kTiny * norms, norms - 2.0 * inner);
    // Pairs before this one may have turned the order of the two gradients round.
    const double t = std::clamp(gain / curve, std::max(-ai, aj - 1.0), std::min(1.0 - ai, aj));
    const double old_i = ai, old_j = aj;
    ai = t == 1.0 - old_i ? 1.0 : t == -old_i ? 0.0 : old_i + t;
    aj = t == old_j ? 0.0 : t == old_j - 1.0 ? 1.0 : old_j - t;
    x_.add(i, t, w);
    x_.add(j, -t, w);
  }

  /// Sets w, and rho: the mean gradient of the free variables, or else what the bounds leave.
  void certify() {
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
    const Certificate found = certificate(p_, solution_, *context_.pool);
    quality_ = found.quality;
    solution_.violation = found.report.violation;
    solution_.limit = wanted_;
  }

  const OneClassProblem& p_;
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

Certificate certificate(const OneClassProblem& p, const Solution& s, base::ThreadPool& pool) {
  std::vector<double> z(p.x->rows());
  p.x->product(s.w.data(), z.data(), pool);
  const double norm = 0.5 * std::inner_product(s.w.begin(), s.w.end(), s.w.begin(), 0.0);
  double loss = 0, gap = 0, high = -kInfinity, low = kInfinity;
  for (const Index i : p.rows) {
    const double below = s.rho - z[i], a = s.alpha[i];
    loss += std::max(0.0, below);
    gap += below > 0 ? (1.0 - a) * below : -a * below;
    if (a > 0) high = std::max(high, z[i]);
    if (a < 1) low = std::min(low, z[i]);
  }
  Certificate c;
  complete(c.report, s);
  c.report.primal_objective = norm + loss - p.nu * static_cast<double>(p.rows.size()) * s.rho;
  c.report.dual_objective = -norm;
  c.report.violation = std::max(0.0, high - low);
  c.report.gradient_norm = std::numeric_limits<double>::quiet_NaN();
  c.report.n_support = std::count_if(s.alpha.begin(), s.alpha.end(), [](double v) { return v != 0; });
  c.quality = {gap, norm, c.report.primal_objective};  // P(0) is 0, with rho = 0
  c.confirms = c.report.violation <= s.limit;
  return c;
}

Solution solve_one_class(const OneClassProblem& problem, const SolveOptions& options, base::Context& context) {
  return GreedyPairs(problem, options, context).run();
}

}  // namespace dcsvm::linear_fit
