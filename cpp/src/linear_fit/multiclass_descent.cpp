// The sequential dual method.
// [1] Crammer, Singer: On the algorithmic implementation of multiclass kernel-based vector machines (JMLR 2, 2001).
// [2] Keerthi, Sundararajan, Chang, Hsieh, Lin: A sequential dual method for large scale multi-class linear SVMs (KDD 2008).
//
//   min_a 1/2 sum_m |w_m|^2 + sum_im e_im a_im,  w_m = sum_i a_im x_i,  sum_m a_im = 0,  a_im <= C_i [m = y_i],
//   e_im = [m != y_i] (or -[m = y_i], which is the same because sum_m a_im = 0). Its gradient is G_im = w_m'x_i + e_im. One row's
//   variables are optimised together in closed form.
//
// The passes grow with C |x|^2: a step changes a row's variables by about 1 / |x|^2, and they may have to change by C. So the
// problem is solved for a small C first, and each larger C starts from the variables of the one before it, times a factor: where
// C binds most rows, that of C, and most of those at their bounds are at them again.
#include "linear_fit/multiclass.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "linear_fit/stopping.hpp"
#include "products/class_weights.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr std::int64_t kMostPasses = 100000;  // LIBLINEAR has the same limit
constexpr double kGrowth = 4.0;  // of C from one solve to the next

class SequentialDual {
 public:
  SequentialDual(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem),
        x_(problem.x),
        options_(options),
        context_(context),
        limits_("sequential_dual", kMostPasses, options, context),
        random_(options.seed),
        loose_(std::max(options.tol, 1.0)),
        k_(p_.classes),
        w_(*p_.exact_x, k_),
        g_(w_.lanes()),
        d_(w_.lanes()),
        b_(k_) {
    solution_.alpha.assign(p_.x->rows() * k_, 0.0);
    solution_.w_is_sum = true;
    solution_.limit = options.tol;
    norm2_.resize(p_.x->rows());
    for (Index i = 0; i < p_.x->rows(); ++i) {
      norm2_[i] = p_.x->norm2(i);
      if (p_.C[i] > 0 && norm2_[i] > 0) all_.push_back(i);
    }
  }

  Solution run() {
    for (scale_ = std::pow(kGrowth, -growths()); scale_ < 1.0 && passes(loose_);) grow();
    double wanted = options_.tol;
    for (int again = 0;; ++again) {
      passes(wanted);
      x_ = p_.exact_x;
      const bool confirmed = certify();
      if (solution_.stop_reason != StopReason::converged || confirmed) break;
      wanted = kTighter * std::min(wanted, solution_.violation);
      if (again == kMostContinued) {
        solution_.stop_reason = StopReason::stagnated;
        break;
      }
    }
    for (double tol = wanted; solution_.stop_reason == StopReason::converged && may_polish();) {
      if (quality_.relative(options_.tol) <= kPolishedGap) break;
      tol = kTighter * std::min(tol, solution_.violation);
      const std::vector<double> before = solution_.alpha;
      const double gap = quality_.gap;
      polishing_ = true;
      const bool met = passes(tol);
      polishing_ = false;
      if (!met) passes(wanted);
      certify();
      if (quality_.gap < gap) continue;
      solution_.alpha = before;  // the passes led elsewhere, or rounding allows no more
      certify();
      break;
    }
    return std::move(solution_);
  }

 private:
  bool may_polish() const {
    return half_left(solution_, options_) && linear_fit::may_polish(*x_, static_cast<double>(solution_.n_iter * k_), options_);
  }

  double* variables(Index i) { return solution_.alpha.data() + i * k_; }

  /// How often C grows before it is the problem's: from where C |x|^2 is about 1.
  int growths() const {
    double sum = 0;
    for (const Index i : all_) sum += p_.C[i] * norm2_[i];
    int times = 0;
    for (double mean = sum / static_cast<double>(all_.size()); mean > 1.0 && std::isfinite(mean); mean /= kGrowth) ++times;
    return times;
  }

  /// C grows, and all variables by the factor up to that of C from which the dual objective t sum a - t^2 |w|^2 / 2 gains most.
  void grow() {
    scale_ *= kGrowth;
    double sum = 0;
    for (const Index i : all_) sum += variables(i)[p_.class_of[i]];
    const double norm2 = w_.norm2(), factor = norm2 > 0 ? std::clamp(sum / norm2, 1.0, kGrowth) : kGrowth;
    for (double& a : solution_.alpha) a *= factor;
    w_.scale(factor);
  }

  /// The bound of row i's variable of its own class.
  double bound(Index i) const { return scale_ * p_.C[i]; }

  /// Passes until all violations are below tol; false: they ended for another reason.
  bool passes(double tol) {
    std::vector<Index> active = all_;
    double shrink = loose_;  // rows whose violation is 0 leave the active set until it is below this
    while (!all_.empty()) {
      const bool whole = active.size() == all_.size();
      const double worst = pass(active);
      ++solution_.n_iter;
      solution_.violation = worst;
      if (limits_.cancelled(solution_, 0.0, static_cast<Index>(active.size()))) return false;
      if (worst < shrink) {
        if (worst < tol && whole) break;
        active = all_;
        shrink = std::max(tol, 0.5 * shrink);
      }
      if ((polishing_ && !may_polish()) || limits_.used_up(solution_)) return false;
    }
    return true;
  }

  /// Visits the active rows in random order; returns the largest violation that was met.
  double pass(std::vector<Index>& active) {
    base::shuffle(active, random_);
    double worst = 0;
    std::size_t kept = 0;
    Index seen = 0;
    constexpr std::size_t kAhead = products::kRowsAhead;
    for (std::size_t t = 0; t < active.size(); ++t) {
      if (++seen % products::kRowPiece == 0) context_.pool->poll();
      if (t + kAhead < active.size()) x_->prefetch(active[t + kAhead]);
      if (t + 1 < active.size()) w_.prefetch(*x_, active[t + 1]);
      const Index i = active[t];
      const double violation = optimise(i);
      worst = std::max(worst, violation);
      if (violation > 0) active[kept++] = i;
    }
    active.resize(kept);
    return worst;
  }

  /// Fills g_ for row i; returns its violation.
  double gradient(Index i) {
    w_.scores(*x_, i, g_.data());
    const double* a = variables(i);
    const int y = p_.class_of[i];
    g_[y] -= 1.0;  // the same differences as with e above, and no digits are lost where the w_m are small
    // Of the gradient: over all, over variables below their bound.
    double high = g_[y], low = a[y] < bound(i) ? g_[y] : kInfinity;
    const auto others = [&](Index begin, Index end) {
      for (Index m = begin; m < end; ++m) {  // without branches, which no processor could foresee
        high = std::max(high, g_[m]);
        low = std::min(low, a[m] < 0 ? g_[m] : kInfinity);
      }
    };
    others(0, y);
    others(y + 1, k_);
    // Variables may fall without limit, so the largest gradient counts over all; those that may grow give the smallest.
    return difference_of_gradients(high, low);
  }

  /// Sets the variables of row i to their optimum; returns their violation before.
  double optimise(Index i) {
    const double violation = gradient(i);
    if (violation == 0) return 0.0;
    double* a = variables(i);
    const int y = p_.class_of[i];
    const double q = norm2_[i], C = bound(i), AC = q * C;
    const auto first = d_.begin();
    auto last = first;
    for (Index m = 0; m < k_; ++m) {
      b_[m] = g_[m] - q * a[m];
      if (m != y) *last++ = b_[m];
    }
    // Of b, and b + AC for y, the largest as many as are above the mean of these less AC: few. Where y is among them, AC is not
    // added and subtracted again: a large one would take all digits of b.
    std::make_heap(first, last);
    bool with_y = false;
    double sum = -AC;
    const auto next_is_y = [&] { return !with_y && (last == first || b_[y] + AC >= *first); };
    const auto largest = [&] { return next_is_y() ? b_[y] + AC : *first; };
    Index r = 0;
    while (r == 0 || (r < k_ && sum < static_cast<double>(r) * largest())) {
      if (next_is_y()) {
        with_y = true;
        sum = r == 0 ? b_[y] : sum + AC + b_[y];
      } else {
        std::pop_heap(first, last);
        sum += *--last;
      }
      ++r;
    }
    const double beta = sum / static_cast<double>(r), per_q = 1.0 / q;
    for (Index m = 0; m < k_; ++m) {
      const double to = std::min(m == y ? C : 0.0, (beta - b_[m]) * per_q);
      d_[m] = to - a[m];
      a[m] = to;
    }
    std::fill(d_.begin() + k_, d_.end(), 0.0);
    w_.add(*x_, i, d_.data());
    return violation;
  }

  /// w from the variables, without the rounding of X and of many small steps; whether the certificate there confirms them.
  bool certify() {
    w_.clear();
    std::fill(d_.begin(), d_.end(), 0.0);
    for (const Index i : all_) {
      std::copy_n(variables(i), k_, d_.data());
      w_.add(*p_.exact_x, i, d_.data());
    }
    solution_.w.resize(p_.x->cols() * k_);
    for (Index j = 0; j < p_.x->cols(); ++j) {
      for (Index m = 0; m < k_; ++m) solution_.w[j * k_ + m] = w_(j, m);
    }
    for (Index i = 0; i < p_.x->rows() && k_ > 1; ++i) {
      if (norm2_[i] > 0) continue;
      // Its variables change no weight: all of C is best, for any of the other classes.
      std::fill_n(variables(i), k_, -p_.C[i] / static_cast<double>(k_ - 1));
      variables(i)[p_.class_of[i]] = p_.C[i];
    }
    const Certificate found = certificate(p_, solution_, *context_.pool);
    quality_ = found.quality;
    solution_.violation = found.report.violation;
    return found.confirms;
  }

  const MulticlassProblem& p_;
  const Matrix* x_;  // what is read
  const SolveOptions& options_;
  base::Context& context_;
  Limits limits_;
  base::Random random_;
  double loose_;  // the tolerance of the solves for a smaller C; the last one shrinks from there
  double scale_ = 1.0;  // of C
  bool polishing_ = false;  // the tolerance is met
  Index k_;
  products::ClassWeights w_;
  std::vector<double> g_, d_, b_, norm2_;
  std::vector<Index> all_;
  Quality quality_;
  Solution solution_;
};

}  // namespace

Solution solve_multiclass_descent(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context) {
  return SequentialDual(problem, options, context).run();
}

}  // namespace dcsvm::linear_fit
