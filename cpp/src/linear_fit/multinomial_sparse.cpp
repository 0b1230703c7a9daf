// The multinomial model with |w| in its penalty: Newton steps on the losses, each solved by descent on one column of X after
// another, whose weights for all classes change together.
// [1] Yuan, Ho, Lin: An improved GLMNET for L1-regularized logistic regression (JMLR 13, 2012).
// [2] Friedman, Hastie, Tibshirani: Regularization paths for generalized linear models via coordinate descent (2010).
//
// A row's second derivative C (diag(p) - pp') is at most 2 C diag(p_m (1 - p_m)), because the row sums of its absolute values are
// twice its diagonal. With that bound the classes of a column separate, and each weight has its own minimum. The change Q(XS)
// of the rows' slopes is kept, classes side by side, and follows each change of the step S.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/block_sums.hpp"
#include "base/random.hpp"
#include "base/table_cap.hpp"
#include "base/vectors.hpp"
#include "linear_fit/l1.hpp"
#include "linear_fit/multinomial.hpp"
#include "linear_fit/multinomial_report.hpp"
#include "linear_fit/multinomial_rows.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/line_search.hpp"
#include "simd/lanes.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr double kBound = 2.0;  // of the second derivative, relative to its diagonal
constexpr double kNearActive = 0.1;  // of l1: how far the gradient of a weight that is 0 may be from it to take part in a step

class MultinomialSparse {
 public:
  MultinomialSparse(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem),
        options_(options),
        pool_(*context.pool),
        limits_("l1_newton", kMostSteps, options, context),
        own_columns_(problem.columns != nullptr
                         ? nullptr
                         : std::make_unique<const products::Columns>(*problem.x, context.cap_bytes, *context.pool)),
        columns_(problem.columns != nullptr ? *problem.columns : *own_columns_),
        rows_(problem),
        n_(problem.rows()),
        d_(problem.cols()),
        k_(problem.classes),
        width_(rows_.width()),
        random_(options.seed) {
    base::check_tables(sizeof(double) * (kHeldVectors * static_cast<double>(rows_.size()) + static_cast<double>(n_ * width_)) +
                           3 * sizeof(float) * static_cast<double>(n_ * width_) + rows_.bytes(),
                       context.cap_bytes, "the probabilities and weights of " + std::to_string(k_) + " classes");
    for (Point* at : {&now_, &next_}) {
      at->w.assign(static_cast<std::size_t>(rows_.size()), 0.0);
      at->g = at->w;
      at->p = base::Buffer<float>(n_ * width_, 0.0F);
    }
    s_ = now_.w;
    h_ = now_.w;
    most_.assign(static_cast<std::size_t>(d_), 0.0);
    pool_.for_range(d_, products::kLinePiece, [&](Index begin, Index end, int) {
      for (Index j = begin; j < end; ++j) columns_.each(j, [&](Index, double x) { most_[j] = std::max(most_[j], std::abs(x)); });
    });
    changes_ = base::Buffer<double>(n_ * width_);
    curvature_ = base::Buffer<float>(n_ * width_);
  }

  Solution run(LinearProblemReport& report) {
    start();
    while (!ends() && step()) {
    }
    solution_.w = rows_.narrowed(now_.w);
    center_free_weights(p_, solution_.w);
    for (double& w : solution_.w) w += 0.0;  // -0 becomes 0
    report_multinomial(p_, state_, solution_, report);
    return std::move(solution_);
  }

 private:
  struct Point {
    std::vector<double> w, g;  // g: of the losses
    base::Buffer<float> p;  // the probabilities, rows x width
    double losses = 0, penalty = 0;
    double objective() const { return losses + penalty; }
  };

  /// Sum over the columns of term(j).
  template <class Term>
  double over_columns(const Term& term) const {
    return base::sum_blocks(d_, products::kLinePiece, pool_, [&](Index begin, Index end) {
      double sum = 0;
      for (Index j = begin; j < end; ++j) sum += term(j);
      return sum;
    });
  }

  double penalty_of(const std::vector<double>& w) const {
    return over_columns([&](Index j) {
      const Penalty penalty = p_.of(j);
      double sum = 0;
      for (Index m = 0; m < k_; ++m) sum += penalty.value(w[j * width_ + m]);
      return sum;
    });
  }

  void evaluate(Point& at) {
    at.losses = rows_.evaluate(at.w, at.g, at.p, pool_);
    at.penalty = penalty_of(at.w);
  }

  /// The largest |gradient of the losses| over the weights with a penalty.
  double largest_slope() const {
    double most = 0;
    for (Index t = 0; t < p_.penalized_cols() * width_; ++t) most = std::max(most, std::abs(now_.g[t]));
    return most;
  }

  /// The smallest subgradient, and the gap. |w| alone: the dual variables are feasible once they are scaled by some t <= 1, and
  /// because their part of the dual objective is concave and 0 at t = 0, D is at least t times what it would be at t = 1.
  void measure() {
    const Index penalized = p_.penalized_cols();
    double free_squares = 0;
    const double squares = over_columns([&](Index j) {
      double sum = 0;
      for (Index m = 0; m < k_; ++m) {
        const double far = p_.of(j).distance(now_.w[j * width_ + m], now_.g[j * width_ + m]);
        sum += far * far;
      }
      return sum;
    });
    for (Index t = penalized * width_; t < d_ * width_; ++t) free_squares += now_.g[t] * now_.g[t];
    double t = 1.0;
    if (p_.penalty.l2 == 0) {
      const double most = largest_slope();
      t = most > p_.penalty.l1 ? p_.penalty.l1 / most : 1.0;
    }
    const double terms = over_columns([&](Index j) {
      double sum = 0;
      for (Index m = 0; j < penalized && m < k_; ++m) {
        const double w = now_.w[j * width_ + m], u = -t * now_.g[j * width_ + m];
        sum += p_.penalty.value(w) + p_.penalty.conjugate(u) - u * w;
      }
      return sum;
    });
    state_.objective = now_.objective();
    state_.gap = terms + (1.0 - t) * now_.losses;
    state_.gradient_norm = std::sqrt(squares);
    state_.free_norm = std::sqrt(free_squares);
  }

  void start() {
    evaluate(now_);
    state_.at_zero = now_.objective();
    measure();
    state_.zero_gradient_norm = state_.gradient_norm;
    if (options_.start != nullptr) {
      rows_.widen(*options_.start, now_.w);
      evaluate(now_);
      measure();
    }
    solution_.initial_objective = now_.objective();
    solution_.initial_gradient_norm = kNaN;
  }

  bool ends() {
    solution_.limit = options_.tol;
    solution_.violation = multinomial_violation(p_, state_);
    if (solution_.violation <= options_.tol) return true;
    if (!std::isfinite(state_.gradient_norm) || !std::isfinite(state_.objective)) {
      solution_.stop_reason = StopReason::stagnated;
      return true;
    }
    return limits_.cancelled(solution_, state_.objective, n_) || limits_.used_up(solution_);
  }

  /// The columns that take part in a step: with a weight that is not 0, or whose gradient is near its limit.
  std::vector<Index> choose_columns() const {
    std::vector<Index> chosen;
    for (Index j = 0; j < d_; ++j) {
      const Penalty penalty = p_.of(j);
      bool takes_part = false;
      for (Index m = 0; m < k_ && !takes_part; ++m) {
        const Index t = j * width_ + m;
        takes_part = now_.w[t] != 0 || !penalty.keeps_zero(now_.g[t], kNearActive * penalty.l1);
      }
      if (takes_part) chosen.push_back(j);
    }
    return chosen;
  }

  /// h: bounds of the losses' curvature along each weight of the chosen columns.
  void set_curvature(const std::vector<Index>& chosen) {
    pool_.for_range(n_, products::kLinePiece, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        const float* p = now_.p.data() + i * width_;
        float* to = curvature_.data() + i * width_;
        const int y = p_.class_of[i];
        float others = 0;
        for (Index m = 0; m < width_; ++m) {
          to[m] = p[m] * (1.0F - p[m]);
          others += m == y ? 0.0F : p[m];
        }
        to[y] = p[y] * others;
      }
    });
    pool_.for_range(static_cast<Index>(chosen.size()), 1, [&](Index begin, Index end, int) {
      for (Index c = begin; c < end; ++c) {
        double* const h = h_.data() + chosen[c] * width_;
        std::fill_n(h, width_, 0.0);
        columns_.each(chosen[c], [&](Index i, double x) {
          const double weight = kBound * p_.C[i] * x * x;
          const float* own = curvature_.data() + i * width_;
          for (Index m = 0; m < width_; ++m) h[m] += weight * static_cast<double>(own[m]);
        });
      }
    });
    double sum = 0;
    for (const Index j : chosen) {
      for (Index m = 0; m < k_; ++m) sum += h_[j * width_ + m];
    }
    mean_curvature_ = sum / static_cast<double>(std::max<std::size_t>(1, chosen.size() * static_cast<std::size_t>(k_)));
    damping_ = std::max(damping_, kTiny * mean_curvature_);
  }

  /// g = the gradient of the losses' quadratic model at the step S, for a column.
  void slopes(Index j, double* g) const {
    std::fill_n(g, width_, 0.0);
    columns_.pieces(j, [&](const auto* values, const std::int32_t* rows, Index count) {
      using T = std::remove_const_t<std::remove_reference_t<decltype(*values)>>;
      simd::lane_ops<T>().dot(values, rows, count, changes_.data(), width_, g);
    });
    for (Index m = 0; m < k_; ++m) g[m] += now_.g[j * width_ + m] + damping_ * s_[j * width_ + m];
  }

  /// S changes by delta in column j, and the rows' slopes with it.
  void move(Index j, const double* delta) {
    columns_.each(j, [&](Index i, double x) {
      const float* const p = now_.p.data() + i * width_;
      double* const to = changes_.data() + i * width_;
      double mean = 0;
      for (Index m = 0; m < width_; ++m) mean += static_cast<double>(p[m]) * delta[m];
      const double weight = p_.C[i] * x;
      for (Index m = 0; m < width_; ++m) to[m] += weight * static_cast<double>(p[m]) * (delta[m] - mean);
    });
  }

  /// The step S for the chosen columns.
  void solve(const std::vector<Index>& chosen) {
    std::fill(s_.begin(), s_.end(), 0.0);
    std::fill_n(changes_.data(), n_ * width_, 0.0);
    const double accuracy = multinomial_accuracy(state_);
    std::vector<Index> active = chosen;
    std::vector<double> g(static_cast<std::size_t>(width_)), delta(static_cast<std::size_t>(width_));
    double margin = -1.0, first = -1.0;
    for (Index pass = 0; pass < kMostInnerPasses; ++pass) {
      pool_.poll();
      base::shuffle(active, random_);
      const bool all = active.size() == chosen.size();
      std::size_t kept = 0;
      double squares = 0, most = 0;
      for (const Index j : active) {
        const Penalty penalty = p_.of(j);
        slopes(j, g.data());
        bool moves = false, stays = margin >= 0;
        const double longest = most_[j] > 0 ? kMostMove / most_[j] : kInfinity;
        std::fill(delta.begin(), delta.end(), 0.0);
        for (Index m = 0; m < k_; ++m) {
          const Index t = j * width_ + m;
          const double u = now_.w[t] + s_[t], far = penalty.distance(u, g[m]), h = h_[t] + damping_;
          stays = stays && u == 0 && penalty.keeps_zero(g[m], margin);
          squares += far * far;
          most = std::max(most, far);
          if (far == 0) continue;
          delta[m] = std::clamp(penalty.step(u, g[m], h), -longest, longest);
          s_[t] = u + delta[m] == 0 ? -now_.w[t] : s_[t] + delta[m];
          moves = moves || delta[m] != 0;
        }
        if (moves) move(j, delta.data());
        if (!stays) active[kept++] = j;
      }
      active.resize(kept);
      ++solution_.n_inner;
      if (first < 0) first = squares;
      if (squares <= accuracy * accuracy * first) {
        if (all) return;
        active = chosen;
        margin = -1.0;
        continue;
      }
      margin = std::min(most, kNearActive * p_.penalty.l1);
    }
  }

  /// False: rounding allows no more.
  bool step() {
    const std::vector<Index> chosen = choose_columns();
    set_curvature(chosen);
    solve(chosen);
    ++solution_.n_iter;
    const double along = over_columns([&](Index j) {
      const Penalty penalty = p_.of(j);
      double sum = 0;
      for (Index m = 0; m < k_; ++m) {
        const Index t = j * width_ + m;
        if (s_[t] != 0) sum += now_.g[t] * s_[t] + penalty.value(now_.w[t] + s_[t]) - penalty.value(now_.w[t]);
      }
      return sum;
    });
    const double before = state_.gradient_norm;
    const bool rounded = !(-along > kRounding * std::abs(now_.objective()));
    const auto change = [&](double part) {
      for (std::size_t t = 0; t < s_.size(); ++t) next_.w[t] = now_.w[t] + part * s_[t];
      evaluate(next_);
      return next_.objective() - now_.objective();
    };
    bool taken = false;
    const double length = multinomial_step(change, along, rounded, [&] { return taken = take_if_better(before); });
    if (length == 0) {
      solution_.stop_reason = StopReason::stagnated;
      return false;
    }
    if (taken) return true;
    damping_ = damped(damping_, 0.0, length, mean_curvature_);
    std::swap(now_, next_);
    measure();
    return true;
  }

  /// Near the end the objective's digits say nothing any more, but a step still makes the subgradient much smaller.
  bool take_if_better(double before) {
    std::swap(now_, next_);
    measure();
    if (state_.gradient_norm < 0.5 * before) return true;
    std::swap(now_, next_);
    measure();
    return false;
  }

  const MultinomialProblem& p_;
  const SolveOptions& options_;
  base::ThreadPool& pool_;
  Limits limits_;
  std::unique_ptr<const products::Columns> own_columns_;
  const products::Columns& columns_;
  MultinomialRows rows_;
  Index n_, d_, k_, width_;
  base::Random random_;
  double damping_ = 0, mean_curvature_ = 0;
  Point now_, next_;
  std::vector<double> s_, h_, most_;  // the step, bounds of the curvature; the largest |x| of each column
  base::Buffer<double> changes_;  // of the rows' slopes, by the step
  base::Buffer<float> curvature_;
  MultinomialState state_;
  Solution solution_;
};

}  // namespace

Solution solve_multinomial_sparse(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context,
                                  LinearProblemReport& report) {
  return MultinomialSparse(problem, options, context).run(report);
}

}  // namespace dcsvm::linear_fit
