// Coordinate descent on the dual problems, one row after another in random order.
// [1] Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate descent method for large-scale linear SVM (ICML 2008).
// [2] Yu, Huang, Lin: Dual coordinate descent methods for logistic regression and maximum entropy models (Machine Learning 85,
//     2011).
// [3] Ho, Lin: Large-scale linear support vector regression (JMLR 13, 2012).
//
//   min_a 1/2 |sum a_i x_i|^2 - sum dual_term_i(a_i)   (loss.hpp), a_i = y_i beta_i for classifiers, w = sum a_i x_i kept.
//
// hinge, squared hinge: beta_i in [0, U_i], gradient y_i w'x_i - 1 + D_i beta_i, with the shrinking of [1]: U = C, D = 0, or
// U = infinity, D = 1 / (2 C). tube, squared tube: a_i in [-U_i, U_i], with the shrinking of [3]. logistic: beta_i in (0, C_i), a
// Newton iteration for each row ([2], Algorithm 4).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "linear/problem.hpp"

namespace dcsvm::linear {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMaxPasses = 3000;
constexpr Index kPollEvery = 4096;
constexpr std::size_t kRowsAhead = 2;  // prefetched: rows,
constexpr std::size_t kAhead = 8;  // and before them where they are
constexpr double kNoStep = 1e-12;  // projected gradients below this move nothing

class DualDescent {
 public:
  DualDescent(const Problem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem), options_(options), context_(context), random_(options.seed) {
    solution_.w.assign(p_.cols(), 0.0);
    const Index n = p_.rows();
    solution_.alpha.assign(n, 0.0);
    rows_.resize(n);
    active_.reserve(n);
    const bool squared = p_.loss == Loss::squared_hinge || p_.loss == Loss::squared_tube;
    context.pool->for_range(n, p_.x->grain(), [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        const double d = squared && p_.C[i] > 0 ? 0.5 / p_.C[i] : 0.0;
        rows_[i] = {p_.x->norm2(i) + d, d, squared ? kInfinity : p_.C[i], p_.y[i]};
      }
    });
    for (Index i = 0; i < n; ++i) {
      if (p_.C[i] > 0) active_.push_back(i);
    }
    all_ = active_;
  }

  Solution run() {
    if (!all_.empty()) {
      if (p_.loss == Loss::logistic) {
        logistic();
      } else if (p_.loss == Loss::hinge || p_.loss == Loss::squared_hinge) {
        hinge();
      } else {
        tube();
      }
      solution_.w_is_sum = true;
    }
    return std::move(solution_);
  }

 private:
  /// What a step needs of a row, next to each other in memory: rows come in random order.
  struct Row {
    double q, d, upper, y;
  };

  std::int64_t limit() const { return options_.max_iter > 0 ? options_.max_iter : kMaxPasses; }

  /// Visits the active rows in random order; step(i) false: the row leaves the active set.
  template <class Step>
  bool pass(const Step& step) {
    base::shuffle(active_, random_);
    Index kept = 0, seen = 0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      if (k + kAhead < active_.size()) prefetch(active_[k + kAhead]);
      if (k + kRowsAhead < active_.size()) p_.x->prefetch(active_[k + kRowsAhead]);
      if (++seen % kPollEvery == 0) context_.pool->poll();
      const Index i = active_[k];
      if (step(i)) active_[kept++] = i;
    }
    active_.resize(kept);
    ++solution_.n_iter;
    if (cancelled(context_, "dual_descent", solution_, 0.0, kept)) {
      solution_.stop_reason = StopReason::cancelled;
      return false;
    }
    if (solution_.n_iter >= limit()) {
      solution_.stop_reason = StopReason::max_iter;
      return false;
    }
    return true;
  }

  void prefetch(Index i) const {
    p_.x->prefetch_place(i);
    __builtin_prefetch(rows_.data() + i);
    __builtin_prefetch(solution_.alpha.data() + i);
  }

  void move(Index i, double a) {
    const double change = a - solution_.alpha[i];
    if (change == 0) return;
    solution_.alpha[i] = a;
    p_.x->add(i, change, solution_.w.data());
  }

  void hinge() {
    double* w = solution_.w.data();
    double high = kInfinity, low = -kInfinity;  // of the last pass: rows at a bound and beyond these leave the active set
    for (bool go = true; go;) {
      double largest = -kInfinity, smallest = kInfinity;
      go = pass([&](Index i) {
        const Row& r = rows_[i];
        const double b = solution_.alpha[i] * r.y;
        const double g = r.y * p_.x->dot(i, w) - 1.0 + r.d * b;
        double pg = g;
        if (b <= 0) {
          if (g > high) return false;
          pg = std::min(g, 0.0);
        } else if (b >= r.upper) {
          if (g < low) return false;
          pg = std::max(g, 0.0);
        }
        largest = std::max(largest, pg);
        smallest = std::min(smallest, pg);
        if (std::abs(pg) > kNoStep) move(i, r.y * (r.q > 0 ? std::clamp(b - g / r.q, 0.0, r.upper) : g < 0 ? r.upper : 0.0));
        return true;
      });
      solution_.violation = active_.empty() ? 0.0 : std::max({largest - smallest, std::abs(largest), std::abs(smallest)});
      if (solution_.violation <= options_.tol) {
        if (active_.size() == all_.size()) {
          solution_.stop_reason = solution_.stop_reason == StopReason::max_iter ? StopReason::converged : solution_.stop_reason;
          return;
        }
        active_ = all_;
        high = kInfinity;
        low = -kInfinity;
        continue;
      }
      high = largest > 0 ? largest : kInfinity;
      low = smallest < 0 ? smallest : -kInfinity;
    }
  }

  void tube() {
    double* w = solution_.w.data();
    double first = -1.0, high = kInfinity;
    for (bool go = true; go;) {
      double largest = 0, sum = 0;
      go = pass([&](Index i) {
        const Row& r = rows_[i];
        const double a = solution_.alpha[i];
        const double g = p_.x->dot(i, w) - r.y + r.d * a;
        const double up = g + p_.width, down = g - p_.width;  // derivatives for growing and falling a
        double violation = 0;
        if (a == 0) {
          if (up < 0) {
            violation = -up;
          } else if (down > 0) {
            violation = down;
          } else if (up > high && down < -high) {
            return false;
          }
        } else if (a >= r.upper) {
          if (up > 0) {
            violation = up;
          } else if (up < -high) {
            return false;
          }
        } else if (a <= -r.upper) {
          if (down < 0) {
            violation = -down;
          } else if (down > high) {
            return false;
          }
        } else {
          violation = a > 0 ? std::abs(up) : std::abs(down);
        }
        largest = std::max(largest, violation);
        sum += violation;
        // The minimum over a of the piecewise quadratic.
        double to = 0;
        if (r.q > 0) {
          to = up < r.q * a ? a - up / r.q : down > r.q * a ? a - down / r.q : 0.0;
          to = std::clamp(to, -r.upper, r.upper);
        } else {
          to = up < 0 ? r.upper : down > 0 ? -r.upper : 0.0;
        }
        if (std::abs(to - a) > kNoStep) move(i, to);
        return true;
      });
      if (first < 0) first = sum;
      solution_.violation = first > 0 ? sum / first : 0.0;
      if (sum <= options_.tol * first) {
        if (active_.size() == all_.size()) {
          solution_.stop_reason = solution_.stop_reason == StopReason::max_iter ? StopReason::converged : solution_.stop_reason;
          return;
        }
        active_ = all_;
        high = kInfinity;
        continue;
      }
      high = largest > 0 ? largest : kInfinity;
    }
  }

  /// The dual variable of row i that solves its one-variable problem: g(b) = q (b - b0) + y w'x_i + log(b / (C - b)) = 0, by
  /// Newton's method in the variable on the side of which the answer lies.
  double logistic_minimum(double b0, double q, double yz, double C, double inner, int& steps) const {
    // Of b and C - b the smaller is the variable, so that neither is lost in rounding.
    const bool mirrored = q * (0.5 * C - b0) + yz < 0;  // the derivative at C / 2: the answer is beyond it
    const double slope_sign = mirrored ? -1.0 : 1.0;
    double z = mirrored ? C - b0 : b0;
    const double start = z;
    if (C - z < 0.5 * C) z *= 0.1;
    double g = q * (z - start) + slope_sign * yz + std::log(z / (C - z));
    constexpr int kMaxSteps = 100;
    for (; steps < kMaxSteps && std::abs(g) >= inner; ++steps) {
      const double curve = q + C / (z * (C - z));
      const double next = z - g / curve;
      z = next <= 0 ? z * 0.1 : std::min(next, 0.5 * (z + C));
      g = q * (z - start) + slope_sign * yz + std::log(z / (C - z));
    }
    return mirrored ? C - z : z;
  }

  void logistic() {
    double* w = solution_.w.data();
    for (const Index i : all_) move(i, rows_[i].y * std::min(0.001 * p_.C[i], 1e-8));
    double inner = 1e-2;
    const double least_inner = std::min(1e-8, options_.tol);
    for (bool go = true; go;) {
      double largest = 0;
      std::int64_t steps = 0;
      go = pass([&](Index i) {
        const Row& r = rows_[i];
        const double C = p_.C[i], b = solution_.alpha[i] * r.y, yz = r.y * p_.x->dot(i, w);
        largest = std::max(largest, std::abs(yz + std::log(b / (C - b))));
        int taken = 0;
        const double to = logistic_minimum(b, r.q, yz, C, inner, taken);
        steps += taken;
        if (taken > 0 && to > 0 && to < C) move(i, r.y * to);
        return true;
      });
      solution_.n_inner += steps;
      solution_.violation = largest;
      if (largest < options_.tol) {
        solution_.stop_reason = solution_.stop_reason == StopReason::max_iter ? StopReason::converged : solution_.stop_reason;
        return;
      }
      if (steps <= static_cast<std::int64_t>(all_.size()) / 10) inner = std::max(least_inner, 0.1 * inner);
    }
  }

  const Problem& p_;
  const SolveOptions& options_;
  base::Context& context_;
  base::Random random_;
  std::vector<Row> rows_;
  std::vector<Index> active_, all_;
  Solution solution_;
};

}  // namespace

Solution solve_dual_descent(const Problem& problem, const SolveOptions& options, base::Context& context) {
  return DualDescent(problem, options, context).run();
}

}  // namespace dcsvm::linear
