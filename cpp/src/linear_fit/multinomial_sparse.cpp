// The multinomial model with |w| in its penalty: Newton steps on the losses (multinomial_model.hpp), then a line search.
// [1] Yuan, Ho, Lin: An improved GLMNET for L1-regularized logistic regression (JMLR 13, 2012).
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/block_sums.hpp"
#include "base/table_cap.hpp"
#include "linear_fit/l1.hpp"
#include "linear_fit/multinomial.hpp"
#include "linear_fit/multinomial_model.hpp"
#include "linear_fit/multinomial_report.hpp"
#include "linear_fit/multinomial_rows.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/line_search.hpp"

namespace dcsvm::linear_fit {

namespace {

class MultinomialSparse {
 public:
  MultinomialSparse(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem),
        options_(options),
        pool_(*context.pool),
        limits_("l1_newton", kMostSteps, options, context),
        own_columns_(problem.columns != nullptr ? nullptr
                                                : std::make_unique<const products::Columns>(
                                                      *problem.x, context.cap_bytes, *context.pool, problem.has_free_bias())),
        columns_(problem.columns != nullptr ? *problem.columns : *own_columns_),
        rows_(problem),
        n_(problem.rows()),
        d_(problem.cols()),
        k_(problem.classes),
        width_(rows_.width()) {
    base::check_tables(sizeof(double) * kHeldVectors * static_cast<double>(rows_.size()) +
                           2 * sizeof(float) * static_cast<double>(n_ * width_) + MultinomialModel::bytes(n_, width_) +
                           rows_.bytes(),
                       context.cap_bytes, "the probabilities and weights of " + std::to_string(k_) + " classes");
    model_ = std::make_unique<MultinomialModel>(problem, columns_, width_, options.seed, pool_);
    for (Point* at : {&now_, &next_}) {
      at->w.assign(static_cast<std::size_t>(rows_.size()), 0.0);
      at->g = at->w;
      at->p = base::Buffer<float>(n_ * width_, 0.0F);
    }
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
    std::vector<double> w, g;  // g: of the losses, in the model's columns
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
    each_centre(p_, columns_, width_, [&](Index of_weight, Index bias, double part) { at.g[of_weight] -= part * at.g[bias]; });
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
    const double squares = over_columns([&](Index j) {
      double sum = 0;
      for (Index m = 0; m < k_; ++m) {
        const double far = p_.of(j).distance(now_.w[j * width_ + m], now_.g[j * width_ + m]);
        sum += far * far;
      }
      return sum;
    });
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
    state_.free_norm = free_norm(p_, now_.g, width_);
  }

  void start() {
    state_.begin(p_, now_.w, width_);
    evaluate(now_);
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

  bool ends() { return multinomial_ends(p_, state_, options_, limits_, solution_); }

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

  /// False: rounding allows no more.
  bool step() {
    model_->set(now_.w, now_.g, now_.p, choose_columns());
    model_->solve(multinomial_accuracy(state_), [&] { return limits_.cancelled(solution_, state_.objective, n_); });
    const std::vector<double>& step = model_->step();
    solution_.n_inner = model_->passes();
    ++solution_.n_iter;
    const double along = over_columns([&](Index j) {
      const Penalty penalty = p_.of(j);
      double sum = 0;
      for (Index m = 0; m < k_; ++m) {
        const Index t = j * width_ + m;
        if (step[t] != 0) sum += now_.g[t] * step[t] + penalty.value(now_.w[t] + step[t]) - penalty.value(now_.w[t]);
      }
      return sum;
    });
    whole_step_ = step;
    const auto as_given = [&](Index of_weight, Index bias, double part) { whole_step_[bias] -= part * step[of_weight]; };
    each_centre(p_, columns_, width_, as_given);
    const double before = state_.gradient_norm;
    const bool rounded = !(-along > kRounding * std::abs(now_.objective()));
    const auto change = [&](double part) {
      for (std::size_t t = 0; t < step.size(); ++t) next_.w[t] = now_.w[t] + part * whole_step_[t];
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
    model_->damp(length);
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
  std::unique_ptr<MultinomialModel> model_;
  Point now_, next_;
  std::vector<double> whole_step_;  // of the columns as given
  MultinomialState state_;
  Solution solution_;
};

}  // namespace

Solution solve_multinomial_sparse(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context,
                                  LinearProblemReport& report) {
  return MultinomialSparse(problem, options, context).run(report);
}

}  // namespace dcsvm::linear_fit
