// |w|_1 and the elastic net with a smooth loss: Newton steps on the loss, each solved by coordinate descent.
// [1] Yuan, Ho, Lin: An improved GLMNET for L1-regularized logistic regression (JMLR 13, 2012).
//
// With few columns, X'DX itself is formed, and a pass over the weights costs d^2 whatever the number of rows; the first steps are
// then taken on a sample of the rows (sample_start.hpp).
//
// One step minimises g's + 1/2 s'(X'DX + nu I)s + R(w + s) over s, one coordinate after another (Xs is kept), then searches
// along s. Weights that are 0 with a gradient well inside of (-1, 1) are left out of the next steps and looked at again at the
// end.
//
// A free bias moves with every coordinate, so that its own condition of optimality in the model always holds: h_b s_b = -g_b -
// sum_j H_jb s_j. Columns whose means are large would otherwise turn against it for thousands of passes. For the same reason the
// solve begins, and what is compared with the tolerance has its unit, at w = 0 with the best bias: adding a number to a column
// changes no gradient there.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "linear_fit/l1.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/line_search.hpp"
#include "products/columns.hpp"
#include "products/gram_matrix.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr int kMostUseless = 20;  // steps in a row that gain nothing the objective shows: they still make the violation smaller
constexpr double kAccuracy = 0.1;  // few columns: to which a step is solved, relative to the violation before it

class L1Newton {
 public:
  L1Newton(const Problem& problem, const products::Columns* columns, const SolveOptions& options, base::Context& context)
      : p_(problem),
        x_(columns),
        options_(options),
        limits_("l1_newton", kMostSteps, options, context),
        pool_(*context.pool),
        n_(p_.rows()),
        d_(p_.cols()),
        by_gap_(options.relative_gap > 0 && p_.has_dual()),
        random_(options.seed),
        gram_(*problem.x, products::blocks_within(context.cap_bytes, d_), false) {
    for (auto* v : {&z_, &slope_, &curvature_, &zs_, &curved_}) v->assign(n_, 0.0);
    for (auto* v : {&g_, &h_, &s_, &q_, &longest_, &with_bias_, &solution_.w}) v->assign(d_, 0.0);
    if (columns != nullptr) rows_.resize(n_);
  }

  Solution run() {
    std::vector<Index> active = base::index_range(d_);
    double previous = kInfinity;
    measure_columns();
    if (p_.has_free_bias()) find_bias();
    evaluate();
    at_zero_ = f_;
    gradient(active);
    solution_.rule = by_gap_ ? Rule::gap : Rule::subgradient;
    const double at_zero = violation(active, kInfinity);
    solution_.limit = by_gap_ ? options_.relative_gap : options_.tol * class_balance(p_) * at_zero;
    const double others = at_zero - std::abs(g_.back());
    solution_.free_bias = p_.free_bias(at_zero, others, slope_);
    // The start is the optimum: of the bias's condition rounding is left, which is no unit and may come again somewhat larger.
    if (p_.has_free_bias() && !by_gap_ && others <= 0) solution_.limit = 10.0 * at_zero;
    active = base::index_range(d_);
    bool known = true;  // the gradient of the active weights
    if (options_.start != nullptr) {
      solution_.w = *options_.start;
      p_.x->product(solution_.w.data(), z_.data(), pool_);
      evaluate();
      known = false;
    }
    double inner = 1.0, first = -1.0;
    int useless = 0;
    for (;;) {
      const bool all = static_cast<Index>(active.size()) == d_;
      if (!known) gradient(active);
      known = false;
      const double left = violation(active, previous / static_cast<double>(std::max<Index>(1, n_)));
      if (first < 0) first = left;
      solution_.violation = by_gap_ ? certificate(p_, solution_, pool_).quality.relative() : left;
      const bool met = solution_.violation <= solution_.limit;
      if (met && (by_gap_ || settled())) {
        if (all) break;
        active = base::index_range(d_);
        known = x_ == nullptr;  // of all
        continue;
      }
      if (limits_.cancelled(solution_, f_, static_cast<Index>(active.size()))) return std::move(solution_);
      if (solution_.n_iter >= limits_.steps()) return stop(all && met ? StopReason::converged : StopReason::max_iter);
      previous = largest_;
      // Passes over the matrix are nearly free.
      const double accuracy = x_ == nullptr ? kAccuracy * left : inner * first;
      if (direction(active, accuracy) == 1) inner *= 0.25;
      if (step(active)) {
        useless = 0;
      } else {
        if (++useless == kMostUseless) return stop(met ? StopReason::converged : StopReason::stagnated);
        active = base::index_range(d_);
        previous = kInfinity;
      }
      ++solution_.n_iter;
    }
    return std::move(solution_);
  }

 private:
  /// Whether a solve that has met the tolerance may end: not while further steps cost little, with few columns or while it
  /// polishes.
  bool settled() {
    const bool polish = half_left(solution_, options_) && may_polish(*p_.x, newton_passes(solution_), options_);
    if (!polish) return x_ != nullptr || gains_.remaining() <= kLastGain * unit();
    if (gains_.remaining() > kPolishedGap * unit()) return false;  // the gap, which is at least that, is several passes
    // Where no dual bound is known, the violation is to fall as far below the tolerance as the gap of others.
    return p_.has_dual() ? certificate(p_, solution_, pool_).quality.within(kPolishedGap)
                         : solution_.violation <= std::sqrt(kPolishedGap) * solution_.limit;
  }

  /// Quality::unit(), with what the objective's digits show of the decrease.
  double unit() const { return std::min(std::abs(f_), std::max(at_zero_ - f_, kRounding * std::abs(f_))); }

  /// The units of the columns: how far a step may move a weight, so that no decision moves by more than kMostMove; and the least
  /// damping.
  void measure_columns() {
    // Sparse columns have zeros.
    std::vector<double> squares(d_), most(d_, p_.x->dense() ? -kInfinity : 0.0), least(d_, p_.x->dense() ? kInfinity : 0.0);
    p_.x->squares(p_.C.data(), squares.data(), pool_);
    for (Index i = 0; i < n_; ++i) {
      p_.x->each(i, [&](Index j, double x) { most[j] = std::max(most[j], x), least[j] = std::min(least[j], x); });
    }
    double sum = 0;
    for (Index j = 0; j < d_; ++j) {
      // Where the bias moves too, by some mean of the column.
      const double range =
          p_.has_free_bias() && j < d_ - 1 ? most[j] - least[j] : std::max(std::abs(most[j]), std::abs(least[j]));
      longest_[j] = range > 0 ? (of_targets(p_.loss) ? kInfinity : kMostMove / range) : 0.0;
      sum += squares[j];
    }
    least_damping_ = damping_ = kTiny * std::min(1.0, sum / static_cast<double>(std::max<Index>(1, d_)));
  }

  /// The best bias where all other weights are 0: Newton's method with one unknown.
  void find_bias() {
    double& bias = solution_.w.back();
    const double unit = p_.x->bias();
    std::fill(zs_.begin(), zs_.end(), unit);
    double f = losses(0.0);
    for (int t = 0; t < kMostRounds; ++t) {
      p_.derivatives(z_, slope_, curvature_, pool_);
      double sum = 0, sizes = 0, bend = 0;
      for (Index i = 0; i < n_; ++i) sum += slope_[i], sizes += std::abs(slope_[i]), bend += curvature_[i];
      if (sum == 0) return;
      // Where few rows have a curvature: no further than its largest value allows.
      const double step = -sum / (std::max(bend, kTiny * sizes) * unit);
      const auto value = [&](double at) { return losses(at * step); };
      const auto [length, now] = optimise::armijo(value, f, unit * sum * step, 1.0);
      if (!(now < f)) return;
      f = now;
      bias += length * step;
      std::fill(z_.begin(), z_.end(), bias * unit);
    }
  }

  Solution stop(StopReason reason) {
    solution_.stop_reason = reason;
    return std::move(solution_);
  }

  double penalty(Index j, double w) const { return p_.of(j).value(w); }

  double losses(double t) const { return p_.losses(z_, t, zs_, pool_); }

  void evaluate() {
    f_ = losses_ = losses(0.0);
    for (Index j = 0; j < d_; ++j) f_ += penalty(j, solution_.w[j]);
  }

  /// Gradient of the losses, and with columns the diagonal of their Hessian, for the active weights.
  void gradient(const std::vector<Index>& active) {
    p_.derivatives(z_, slope_, curvature_, pool_);
    if (x_ == nullptr) return p_.x->transposed(slope_.data(), g_.data(), pool_);
    for (Index i = 0; i < n_; ++i) rows_[i] = {slope_[i], curvature_[i]};
    pool_.for_range(static_cast<Index>(active.size()), products::kLinePiece, [&](Index begin, Index end, int) {
      for (Index k = begin; k < end; ++k) {
        const Index j = active[k];
        const products::Columns::Pair sums = x_->sums(j, rows_.data());
        g_[j] = sums.first;
        h_[j] = damping_ + sums.second;
        if (p_.has_free_bias()) with_bias_[j] = p_.x->bias() * x_->dot(j, curvature_.data());
      }
    });
  }

  /// Sum of the active weights' distances from optimality; weights that are 0 and stay so by more than `margin` leave the active
  /// set.
  double violation(std::vector<Index>& active, double margin) {
    double sum = 0;
    largest_ = 0;
    std::size_t kept = 0;
    for (const Index j : active) {
      const double g = g_[j], w = solution_.w[j];
      const Penalty penalty = p_.of(j);
      if (w == 0 && penalty.keeps_zero(g, margin)) continue;
      const double v = penalty.distance(w, g);
      sum += v;
      largest_ = std::max(largest_, v);
      active[kept++] = j;
    }
    active.resize(kept);
    if (!p_.has_free_bias()) return sum;
    const double bias = std::abs(g_.back());
    return solution_.free_bias.violation(sum, sum - bias, bias);
  }

  /// Fills s_ and zs_ = X s; returns the passes that were needed.
  std::int64_t direction(const std::vector<Index>& outer, double accuracy) {
    for (auto* v : {&zs_, &curved_, &s_, &q_}) std::fill(v->begin(), v->end(), 0.0);
    if (x_ == nullptr) {
      gram_.symmetric(curvature_, tile_rows_, pool_, hessian_);
      for (Index j = 0; j < d_; ++j) h_[j] = hessian_[j * d_ + j] + damping_;
    }
    std::vector<Index> others = outer;  // that move by themselves
    if (p_.has_free_bias()) begin_with_bias(others);
    std::vector<Index> active = others;
    double margin = kInfinity;
    std::int64_t passes = 0;
    while (passes < kMostInnerPasses && !limits_.cancelled(solution_, f_, static_cast<Index>(active.size()))) {
      base::shuffle(active, random_);
      double sum = 0, largest = 0;
      std::size_t kept = 0;
      const bool all = active.size() == others.size();
      for (std::size_t k = 0; k < active.size(); ++k) {
        const Index j = active[k];
        if (x_ != nullptr && k + 1 < active.size()) x_->prefetch_begin(active[k + 1]);
        double g = g_[j] + damping_ * s_[j];
        if (x_ != nullptr) {
          g += x_->dot(j, curved_.data()) + bias_step_ * with_bias_[j];
        } else {
          g += q_[j];
        }
        const double u = solution_.w[j] + s_[j];
        const Penalty penalty = p_.of(j);
        if (u == 0 && penalty.keeps_zero(g, margin)) continue;
        active[kept++] = j;
        const double v = penalty.distance(u, g);
        sum += v;
        largest = std::max(largest, v);
        const double t = std::clamp(penalty.step(u, g, h_[j]), -longest_[j], longest_[j]);
        if (t == 0) continue;
        s_[j] += t;
        bias_step_ -= t * with_bias_[j] * per_bias_;
        if (x_ != nullptr) {
          x_->each(j, [&](Index i, double x) { curved_[i] += t * x * curvature_[i]; });
        } else {
          const double* column = hessian_.data() + j * d_;
          for (Index c = 0; c < d_; ++c) q_[c] += t * column[c];
        }
      }
      active.resize(kept);
      ++passes;
      ++solution_.n_inner;
      if (sum <= accuracy) {
        if (all) break;
        active = others;
        margin = kInfinity;
        continue;
      }
      margin = largest / static_cast<double>(std::max<Index>(1, n_));
    }
    if (p_.has_free_bias()) s_.back() = bias_step_;
    set_product();
    return passes;
  }

  /// Takes the bias out of the model: it stands where its gradient is 0, and so does each coordinate's curvature with it.
  void begin_with_bias(std::vector<Index>& others) {
    const Index b = d_ - 1;
    others.erase(std::remove(others.begin(), others.end(), b), others.end());
    if (x_ == nullptr) std::copy_n(hessian_.data() + b * d_, d_, with_bias_.data());
    per_bias_ = h_[b] > 0 ? 1.0 / h_[b] : 0.0;
    bias_step_ = -g_[b] * per_bias_;
    for (const Index j : others) {
      const double part = with_bias_[j] * per_bias_;
      h_[j] = std::max(h_[j] - part * with_bias_[j], kTiny * h_[j]);
      if (x_ != nullptr) continue;
      q_[j] = bias_step_ * with_bias_[j];
      for (Index c = 0; c < d_; ++c) hessian_[j * d_ + c] -= part * with_bias_[c];
    }
  }

  /// zs_ = X s.
  void set_product() {
    if (x_ == nullptr) {
      p_.x->product(s_.data(), zs_.data(), pool_);
      return;
    }
    // As long as neither (curvature Xs) nor its quotient by the curvature has lost digits.
    const double least = std::sqrt(std::numeric_limits<double>::min());
    if (*std::min_element(curvature_.begin(), curvature_.end()) > least) {
      for (Index i = 0; i < n_; ++i) zs_[i] = curved_[i] / curvature_[i];
      if (p_.has_free_bias()) x_->each(d_ - 1, [&](Index i, double x) { zs_[i] += s_.back() * x; });
      return;
    }
    for (Index j = 0; j < d_; ++j) {
      if (s_[j] != 0) x_->each(j, [&](Index i, double x) { zs_[i] += s_[j] * x; });
    }
  }

  double mean_curvature(const std::vector<Index>& active) const {
    double sum = least_damping_;
    for (const Index j : active) sum += h_[j];
    return sum / static_cast<double>(std::max<std::size_t>(1, active.size()));
  }

  bool step(const std::vector<Index>& active) {
    double along = 0, before = 0;
    for (const Index j : active) {
      along += g_[j] * s_[j] + penalty(j, solution_.w[j] + s_[j]) - penalty(j, solution_.w[j]);
      before += penalty(j, solution_.w[j]);
    }
    const double elsewhere = f_ - losses_ - before;  // the penalty of weights outside of the active set
    double now = losses_;
    const auto value = [&](double at) {
      now = losses(at);
      double f = now + elsewhere;
      for (const Index j : active) f += penalty(j, solution_.w[j] + at * s_[j]);
      return f;
    };
    const auto [t, f] = optimise::armijo(value, f_, along, 1.0);
    damping_ = damped(damping_, least_damping_, t, mean_curvature(active));
    gains_.add(f_ - f);
    if (t == 0) return false;
    for (const Index j : active) solution_.w[j] += t * s_[j];
    for (Index i = 0; i < n_; ++i) z_[i] += t * zs_[i];
    const bool gained = f < f_ - std::numeric_limits<double>::epsilon() * std::abs(f_);
    f_ = f;
    losses_ = now;
    return gained;
  }

  const Problem& p_;
  const products::Columns* x_;  // null: few columns, where the Hessian is formed
  const SolveOptions& options_;
  Limits limits_;
  base::ThreadPool& pool_;
  Index n_, d_;
  bool by_gap_;  // the gap decides, and not the violation
  base::Random random_;
  products::HeldGram gram_;  // few columns
  products::TileRows tile_rows_;
  Solution solution_;
  Gains gains_;
  double bias_step_ = 0, per_bias_ = 0;  // of a free bias, with each coordinate's step: with_bias_ / h_b
  double f_ = 0, losses_ = 0, at_zero_ = 0, largest_ = 0, damping_ = 0, least_damping_ = 0;
  std::vector<double> z_, slope_, curvature_, zs_;
  std::vector<products::Columns::Pair> rows_;  // slope and curvature
  std::vector<double> curved_;  // curvature times Xs, within a step
  std::vector<double> g_, h_, s_, q_, hessian_;
  std::vector<double> longest_;  // step of each weight
  std::vector<double> with_bias_;  // of the Hessian: the column of a free bias
};

}  // namespace

Solution solve_l1(const Problem& problem, const products::Columns* columns, const SolveOptions& options, base::Context& context) {
  return L1Newton(problem, columns, options, context).run();
}

}  // namespace dcsvm::linear_fit
