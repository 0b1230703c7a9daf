#include "qp/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "qp/equal_rows.hpp"
#include "qp/judge.hpp"
#include "qp/linear_descent.hpp"
#include "qp/outcome.hpp"
#include "qp/saved_solve.hpp"
#include "qp/timer.hpp"

namespace dcsvm::qp {

namespace {

constexpr double kSmallPart = 1e-3;   // of tol: errors below it are ignored; reports do not show them
constexpr double kOfViolation = 1e-2;      // of a violation: the same
constexpr double kHopeless = 30.0;    // times tol: with a larger error, what is left to do in double is most of the work
constexpr double kNoise = 4.0;        // times the error of a gradient: a smaller violation in float is rounding
// Of tol: up to this error of a violation, correcting the gradients that decide is enough; what goes on then may use the rest.
constexpr double kFloatReach = 0.25;
constexpr int kTries = 3;  // to go on from corrected gradients
constexpr double kGain = 0.5;  // a try that leaves more of the violation than this share is the last one
// Rows, and features, from which more variables may be free than a tile holds: working sets then undo each other's steps.
constexpr Index kDescendFrom = 2049;
constexpr double kObjectiveDigits = 4e-6;  // of the objective: the error that its six digits allow
constexpr double kMostHidden = 0.5;  // of tol: what double may hide of a violation, and still be believed

bool ended_early(const Result& r) { return r.stop_reason != StopReason::converged && r.stop_reason != StopReason::stagnated; }

template <class T>
class VerifiedSolve {
 public:
  VerifiedSolve(const kernel_matrix::RowSource<T>& source, const Problem& problem, const Options& options, double* beta,
                double* gradient, base::Context& context, const Progress& progress)
      : source_(source),
        problem_(problem),
        options_(options),
        beta_(beta),
        g_(gradient),
        context_(context),
        progress_(progress),
        linear_(source.linear_rows()),
        rounding_(linear_ ? kernels::Rounding{} : source.rounding()),
        value_error_(rounding_.typical),
        accepted_(std::max(options.tol, options.accepted_tol)) {}

  Result run() {
    const Result result = judged_result();
    if (options_.origins != nullptr) *options_.origins = left_behind(result);
    return result;
  }

 private:
  Result judged_result() {
    from_zero_ = norm2() == 0.0;
    if (options_.gradient_given)
      origins_ = options_.origins != nullptr ? *options_.origins : Origins::of_caller(beta_, problem_.n);
    path_.assign(static_cast<std::size_t>(problem_.n), 0.0);
    Result result = start();
    if (result.renewed) origins_ = {};
    if (options_.verify == Verify::report) judge_in_time(result);
    if (!improves()) return result;
    double violation_before = std::numeric_limits<double>::infinity();
    for (int tries = 0; !ended_early(result); ++tries) {
      if (std::is_same_v<T, float> && norm2() > largest_square()) return finish_in_double(result);
      const double claimed = result.violation;
      if (!judge_in_time(result)) return result;
      const bool is_below = result.violation < accepted_;
      result.stop_reason = result.is_below(accepted_) ? StopReason::converged : StopReason::stagnated;
      if (result.stop_reason == StopReason::converged || (is_below && result.hidden > kMostHidden * accepted_)) return result;
      // Of a linear kernel the gradients were those in double all the time: what float lacks is digits of the tile.
      if (linear_ || tries == kTries || result.violation > kGain * violation_before) return finish_in_double(result);
      violation_before = result.violation;
      const Result after = go_on(result, claimed);
      if (after.renewed) origins_ = {};
      result = joined(result, after);
    }
    judge_in_time(result);
    return result;
  }

  // Of the gradient, for a solve that is given it. Products with the weights need none.
  Origins left_behind(const Result& result) const {
    Origins left;
    if (linear_) return left;
    if (result.in_double) {
      left.known[0] = {{beta_, beta_ + problem_.n}, {g_, g_ + problem_.n}};
    } else if (judged_) {
      left = judged_->origins();
    } else {
      left = origins_;
      left.went(path_);
    }
    for (Origin& origin : left.known) origin.left_out = 0;  // in result.left_out
    return left;
  }

  // The block decomposition, from where a descent on the weights ends if there are any.
  Result start() {
    const bool goes_on = std::is_same_v<T, float> && improves();
    // Of a linear kernel the gradients are in double, and need such tiles where a solve is long.
    const PrecisionLimits limits{largest_square(), goes_on ? kNoise * value_error_ : 0.0, goes_on && linear_};
    Options own = options_;
    Result before;
    if (linear_ && std::min(problem_.n, linear_.features()) >= kDescendFrom && options_.max_iter != 0) {
      std::vector<double> diagonal(static_cast<std::size_t>(problem_.n));
      for (Index i = 0; i < problem_.n; ++i) diagonal[i] = static_cast<double>(source_.diagonal(i));
      descend(linear_, diagonal, problem_, options_, beta_, context_, progress_, before);
      own = remaining(before);
      own.gradient_given = false;
    }
    return joined(before,
                  solve_blocks(source_, problem_, own, beta_, g_, path_.data(), context_, progress_after(before), limits));
  }

  bool improves() const { return options_.verify == Verify::violation || options_.verify == Verify::solution; }
  double norm2() const { return std::inner_product(beta_, beta_ + problem_.n, beta_, 0.0); }
  double norm1() const {
    return std::accumulate(beta_, beta_ + problem_.n, 0.0, [](double sum, double b) { return sum + std::abs(b); });
  }
  double largest_square() const {
    if (std::is_same_v<T, double> || !(value_error_ > 0)) return std::numeric_limits<double>::infinity();
    const double norm = kHopeless * options_.tol / value_error_;
    return norm * norm;
  }

  // What a reported violation may be off by.
  double digits(double violation) const { return std::max(kOfViolation * violation, kSmallPart * accepted_); }
  // bound(norm of f) of the present gradients in double. Those that are as wrong as the bound without that norm tell it.
  template <class Bound>
  double with_norm_of_f(const Bound& bound) const {
    double square = 0;  // b'K b
    for (Index i = 0; i < problem_.n; ++i) square += beta_[i] * (problem_.q[i] - g_[i]);
    return bound(std::sqrt(std::max(0.0, square) + norm1() * bound(-1.0)));
  }
  // rounding: of the values in double.
  double bound_here(const kernels::Rounding& rounding) const {
    const double own = bound_of_additions(problem_.n, largest_gradient(problem_, g_), 0.0);
    return with_norm_of_f([&](double norm) { return bound_of_formed(rounding, norm1(), norm) + own; });
  }

  // Whether the gradients that the solve has updated give all digits of its report. Of matrices that may be indefinite, of other
  // starts than 0, and of values that are rounded otherwise in each update nothing is known.
  bool updated_suffice(const Result& result) const {
    if (!from_zero_ || rounding_.by_columns || !std::isfinite(rounding_.shared_norm)) return false;
    const std::vector<double>& before = origins_.known[0].path;
    double size = 0, square = 0;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const double gone = before.empty() ? path_[i] : before[i] + path_[i];
      square += gone * gone;
      size = std::max(size, std::abs(problem_.q[i]));
    }
    const double path = std::sqrt(square);
    const double own =
        bound_of_additions(problem_.n, largest_on_the_way(rounding_, size, result.objective), most_additions(result, problem_.n));
    const double error =
        with_norm_of_f([&](double norm) { return bound_of_updated(rounding_, problem_.n, path, norm1(), norm) + own; });
    return 2.0 * (error + result.left_out) <= digits(result.violation) &&
           (options_.verify == Verify::violation || 0.5 * norm1() * error <= kObjectiveDigits * std::abs(result.objective));
  }

  // What `work` makes of a result. Where that takes too long after the end of the call, the result stays as it is, cancelled,
  // with a gradient of which nothing is claimed.
  template <class Work>
  Result in_time(Result result, const Work& work) {
    if (context_.monitor == nullptr) return work(result);  // a task of a parallel level: nobody ends it alone
    const std::vector<double> beta(beta_, beta_ + problem_.n), gradient(g_, g_ + problem_.n);
    try {
      const base::Limited limited(context_.monitor);
      return work(result);
    } catch (const base::TooLate&) {
      std::copy(beta.begin(), beta.end(), beta_);
      std::copy(gradient.begin(), gradient.end(), g_);
      result.stop_reason = StopReason::cancelled;
      judged_.reset();
      origins_ = Origins::of_caller(beta_, problem_.n);
      return result;
    }
  }
  bool judge_in_time(Result& result) {
    if (std::is_same_v<T, double> && !linear_ && updated_suffice(result)) return false;
    bool changed = false;
    result = in_time(result, [&](Result own) {
      changed = judge(own);
      return own;
    });
    return changed;
  }

  // Corrects what `result` says. False: it is what it says, as far as can be known.
  bool judge(Result& result) {
    const Timer timer(result.seconds_update);
    double left_out = 0;
    error_ = value_error_ * std::sqrt(norm2());
    if (linear_) {
      renew(source_);
      describe<T>(problem_, beta_, g_, result);
      result.hidden = 2.0 * bound_here(rounding_in_double());
    } else if constexpr (std::is_same_v<T, double>) {
      result.left_out = left_out = renew(source_);
      origins_ = {};
      describe<T>(problem_, beta_, g_, result);
      result.hidden = 2.0 * bound_here(rounding_);
    } else {
      if (!equal_rows_) equal_rows_.emplace(source_, *context_.pool);
      judged_ =
          std::make_unique<Judged>(problem_, beta_, g_, rounding_, context_, result, path_, std::move(origins_), *equal_rows_);
      result.left_out = judged_->left_out();
      const bool wants_objective = options_.verify != Verify::violation, claims = options_.verify != Verify::report;
      if (judged_->is_known(result, accepted_, wants_objective, claims)) return false;
      if (!exact_) exact_ = source_.in_double(*context_.pool);
      if (!exact_) return false;  // values that are given as they are
      error_ = judged_->judge(source_, *exact_, accepted_, wants_objective, result, claims);
      result.hidden = 2.0 * bound_here(exact_->rounding());
      left_out = exact_->negligible() * judged_->norm1();
      result.left_out = judged_->all_exact() ? left_out : std::max(left_out, judged_->left_out());
    }
    result.violation = bounds_of(problem_, beta_, g_).violation(problem_.equality) + 2.0 * left_out;
    return true;
  }

  // Of products with the weights, too, which are sums of the same products of features.
  kernels::Rounding rounding_in_double() {
    if constexpr (std::is_same_v<T, double>) {
      return source_.rounding();
    } else {
      if (!exact_) exact_ = source_.in_double(*context_.pool);
      return exact_ ? exact_->rounding() : source_.rounding();
    }
  }

  template <class U>
  double renew(const kernel_matrix::RowSource<U>& rows) {
    std::transform(beta_, beta_ + problem_.n, path_.begin(), [](double b) { return std::abs(b); });
    return rows.negligible() * gradient_at(rows, problem_, beta_, context_.cap_bytes / 4, *context_.pool, g_);
  }

  // From corrected gradients, in the same precision.
  Result go_on(Result& result, double claimed) {
    Options more = remaining(result);
    more.gradient_given = true;
    more.left_out = result.left_out;
    more.tol = std::min(options_.tol, std::max(accepted_ - result.hidden, (1.0 - kMostHidden) * accepted_));
    if constexpr (std::is_same_v<T, float>) {
      const double corrected = options_.tol - 2 * std::max(0.0, result.violation - claimed) - error_;
      if (claimed < options_.tol && 2 * error_ < kFloatReach * options_.tol && corrected > 0) {
        more.tol = corrected;
      } else if (!linear_) {
        const Timer timer(result.seconds_update);
        judged_->refine(*exact_);
      }
      if (!linear_) {
        origins_ = judged_->origins();
        path_.assign(path_.size(), 0.0);
        more.left_out = exact_->negligible() * judged_->norm1();
      }
    }
    // Rounding may keep it from tol for ever: what was left of the violation is not worth more steps than all before.
    const std::int64_t most = 2 * result.n_iter + 1000;
    const bool bounded = most < step_limit(more, problem_.n);
    if (bounded) more.max_iter = most;
    Result after =
        solve_blocks(source_, problem_, more, beta_, g_, path_.data(), context_, progress_after(result), {largest_square()});
    judged_.reset();
    if (bounded && after.stop_reason == StopReason::max_iter) after.stop_reason = StopReason::stagnated;
    return after;
  }

  Result finish_in_double(const Result& result) {
    if constexpr (std::is_same_v<T, double>) {
      return result;
    } else {
      if (!exact_) exact_ = source_.in_double(*context_.pool);
      if (!exact_) return result;
      Options more = remaining(result);
      more.tol = accepted_;
      more.gradient_given = false;
      more.left_out = 0;
      return in_time(result, [&](const Result& before) {
        Result after = VerifiedSolve<double>(*exact_, problem_, more, beta_, g_, context_, progress_after(before)).run();
        after.in_double = true;
        return joined(before, after);
      });
    }
  }

  // What reports go on from: steps are counted through all solves.
  Progress progress_after(const Result& result) const {
    Progress later = progress_;
    later.n_iter += result.n_iter;
    return later;
  }

  Options remaining(const Result& result) const {
    Options more = options_;
    more.origins = nullptr;
    if (options_.max_iter >= 0) more.max_iter = std::max<std::int64_t>(0, options_.max_iter - result.n_iter);
    return more;
  }

  const kernel_matrix::RowSource<T>& source_;
  const Problem& problem_;
  const Options& options_;
  double* beta_;
  double* g_;
  base::Context& context_;
  const Progress& progress_;
  const kernel_matrix::LinearRows linear_;  // gradients are products in double, whatever T is
  const kernels::Rounding rounding_;
  const double value_error_, accepted_;
  std::shared_ptr<const kernel_matrix::RowSource<double>> exact_;  // null: not yet needed
  Origins origins_;  // of the gradient with which the last solve began; a judge takes them
  std::vector<double> path_;  // from there (Origin::path)
  std::optional<EqualRows> equal_rows_;  // none: not yet needed
  bool from_zero_ = false;  // the start of the solve
  std::unique_ptr<Judged> judged_;  // of the present solution; null: none yet
  double error_ = 0;   // of a gradient
};

}  // namespace

template <class T>
Result solve(const kernel_matrix::RowSource<T>& source, const Problem& problem, const Options& options, double* beta,
             double* gradient, base::Context& context, Progress progress) {
  SavedSolve saved(context, problem, beta);
  if (saved.result()) {
    Result result = *saved.result();
    const auto exact = gradient != nullptr && result.in_double ? source.in_double(*context.pool) : nullptr;
    const auto form = [&](const auto& rows) {
      result.left_out = rows.negligible() * gradient_at(rows, problem, beta, context.cap_bytes / 4, *context.pool, gradient);
    };
    if (gradient != nullptr && exact) form(*exact);
    if (gradient != nullptr && !exact) form(source);
    if (options.origins != nullptr) *options.origins = Origins::of_one_update(beta, problem.n);
    return result;
  }
  std::vector<double> own_gradient;
  if (gradient == nullptr) {
    own_gradient.resize(problem.n);
    gradient = own_gradient.data();
  }
  Options own = options;
  own.saved = &saved;
  progress.n_iter += saved.steps();
  if (saved.found()) {
    own.gradient_given = false;
    own.max_iter = std::max<std::int64_t>(0, step_limit(options, problem.n) - saved.steps());
  }
  Result result = VerifiedSolve<T>(source, problem, own, beta, gradient, context, progress).run();
  result.n_iter += saved.steps();
  if (options.max_iter != 0) saved.finish(beta, result);  // 0: only measured, where a call was cancelled
  return result;
}

template Result solve<float>(const kernel_matrix::RowSource<float>&, const Problem&, const Options&, double*, double*,
                             base::Context&, Progress);
template Result solve<double>(const kernel_matrix::RowSource<double>&, const Problem&, const Options&, double*, double*,
                              base::Context&, Progress);

}  // namespace dcsvm::qp
