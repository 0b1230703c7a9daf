// The multinomial model where X has more columns than rows, by the same Newton steps: w = X'B, B with an entry for each row.
//
// A gradient W + X'A is X'(B + A), and the Hessian takes X'V to X'(V + R(KV)), K = XX'. So all vectors of conjugate gradients are
// X'V, of which only V and KV are held, and their products are those of V and KV. A product with K is one pass over the columns
// of X, which reads and writes what has an entry for each row: nothing as long as the weights is touched before the end. The
// scores along a step are sums of what conjugate gradients had to compute anyway.
//
// A bias that is not regularised has no place in w = X'B: its weights, gradient and direction go beside those vectors.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/block_sums.hpp"
#include "base/table_cap.hpp"
#include "linear_fit/multinomial.hpp"
#include "linear_fit/multinomial_report.hpp"
#include "linear_fit/softmax_row.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/line_search.hpp"
#include "products/columns.hpp"
#include "products/lane_pass.hpp"
#include "products/pieces.hpp"

namespace dcsvm::linear_fit {

namespace {

using products::kRowPiece;

class MultinomialWide {
 public:
  MultinomialWide(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem),
        options_(options),
        pool_(*context.pool),
        limits_("newton", kMostSteps, options, context),
        n_(problem.rows()),
        k_(problem.classes),
        columns_(*problem.exact_x, context.cap_bytes, *context.pool),
        pass_(problem.penalized_cols(), n_, k_, columns_.stored()),
        width_(pass_.width()),
        free_bias_(problem.penalized_cols() < problem.cols()) {
    base::check_tables(sizeof(double) * kHeldVectors * static_cast<double>(pass_.size()) + pass_.bytes(), context.cap_bytes,
                       "vectors of the rows for " + std::to_string(k_) + " classes");
    for (Pair* v : {&b_, &r_, &dir_, &s_}) v->resize(pass_.size(), width_);
    a_.assign(static_cast<std::size_t>(pass_.size()), 0.0);
    q_ = a_;
    next_a_ = a_;
    trial_ = a_;
    prob_ = base::Buffer<float>(pass_.size(), 0.0F);
  }

  Solution run(LinearProblemReport& report) {
    losses_ = softmax(b_.image, a_);
    state_.objective = state_.at_zero = losses_;
    for (;;) {
      residual();
      measure();
      if (solution_.n_iter == 0 && solution_.initial_gradient_norm == 0) {
        state_.zero_gradient_norm = solution_.initial_gradient_norm = state_.gradient_norm;
        solution_.initial_objective = state_.objective;
      }
      if (ends()) break;
      if (solution_.violation <= options_.tol) {
        refresh();
        continue;
      }
      if (!step()) break;
    }
    if (!exact_) {
      refresh();
      residual();
      measure();
      solution_.violation = multinomial_violation(p_, state_);
    }
    write();
    report_multinomial(p_, state_, solution_, report);
    return std::move(solution_);
  }

 private:
  /// X'V and, beside it, the bias's entries: V, and K V plus the bias's.
  struct Pair {
    std::vector<double> v, image, bias;
    void resize(Index size, Index width) {
      v.assign(static_cast<std::size_t>(size), 0.0);
      image = v;
      bias.assign(static_cast<std::size_t>(width), 0.0);
    }
  };

  /// Sum of term(t, lane) over all entries of the rows' vectors.
  template <class Term>
  double sum(const Term& term) const {
    return base::sum_blocks(n_, kRowPiece, pool_, [&](Index begin, Index end) {
      double sum = 0;
      for (Index i = begin; i < end; ++i) {
        for (Index m = 0; m < width_; ++m) sum += term(i * width_ + m, m);
      }
      return sum;
    });
  }
  template <class Fn>
  void each(const Fn& fn) const {
    pool_.for_range(n_, kRowPiece, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        for (Index m = 0; m < width_; ++m) fn(i * width_ + m, m);
      }
    });
  }
  double over_lanes(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0;
    for (Index m = 0; m < k_; ++m) sum += a[m] * b[m];
    return sum;
  }
  /// Of X'V, whose image has no bias in it.
  double square(const Pair& r, const std::vector<double>& bias) const {
    return sum([&](Index t, Index) { return r.v[t] * r.image[t]; }) + over_lanes(r.bias, bias);
  }

  /// out = K v.
  void multiply(const std::vector<double>& v, std::vector<double>& out) {
    double none = 0;
    const auto use = [](Index, auto*, double&) { return true; };
    const bool in_float = in_float_ && !exact_;
    if (in_float) in_float_ = pass_.run<float>(columns_, v.data(), out.data(), pool_, none, use);
    if (!in_float || !in_float_) pass_.run<double>(columns_, v.data(), out.data(), pool_, none, use);
    ++solution_.n_inner;
  }

  /// The losses at scores z; a = C (p - e_y), and the probabilities.
  double softmax(const std::vector<double>& z, std::vector<double>& a) {
    return base::sum_blocks(n_, kRowPiece, pool_, [&](Index begin, Index end) {
      std::vector<double> room(static_cast<std::size_t>(width_));
      double sum = 0;
      for (Index i = begin; i < end; ++i) {
        double* own = a.data() + i * width_;
        std::copy_n(z.data() + i * width_, width_, own);
        if (p_.C[i] == 0) {
          std::fill_n(own, width_, 0.0);
        } else {
          sum += softmax_row(own, k_, p_.class_of[i], p_.C[i], prob_.data() + i * width_, room.data());
          std::fill(own + k_, own + width_, 0.0);
        }
      }
      return sum;
    });
  }

  /// The sums over the rows, for the bias.
  void over_rows(const std::vector<double>& a, double sign, std::vector<double>& out) const {
    std::fill(out.begin(), out.end(), 0.0);
    if (!free_bias_) return;
    for (Index i = 0; i < n_; ++i) {
      for (Index m = 0; m < k_; ++m) out[m] += sign * a[i * width_ + m];
    }
  }

  /// r = -gradient.
  void residual() {
    each([&](Index t, Index) { r_.v[t] = -(b_.v[t] + a_[t]); });
    over_rows(a_, -1.0, r_.bias);
    multiply(r_.v, r_.image);
  }

  void measure() {
    const double squares = square(r_, r_.bias);
    state_.gradient_norm = std::sqrt(squares);
    state_.gap = 0.5 * squares;
  }

  bool ends() {
    solution_.limit = options_.tol;
    solution_.violation = multinomial_violation(p_, state_);
    if (solution_.violation <= options_.tol && exact_) return true;
    if (!std::isfinite(state_.gradient_norm) || !std::isfinite(state_.objective)) {
      solution_.stop_reason = StopReason::stagnated;
      return true;
    }
    if (solution_.violation <= options_.tol) return false;
    return limits_.cancelled(solution_, state_.objective, n_) || limits_.used_up(solution_);
  }

  /// The bias's part of the preconditioner: all else is the identity.
  std::vector<double> bias_curvature() const {
    std::vector<double> h(static_cast<std::size_t>(width_), 0.0);
    for (Index i = 0; free_bias_ && i < n_; ++i) {
      const float* p = prob_.data() + i * width_;
      for (Index m = 0; m < k_; ++m) h[m] += p_.C[i] * static_cast<double>(p[m]) * (1.0 - static_cast<double>(p[m]));
    }
    for (double& one : h) one = one > 0 ? 1.0 / one : 1.0;
    return h;
  }

  /// s = -H^-1 g, nearly, from r = -g.
  void solve() {
    s_.resize(pass_.size(), width_);
    const std::vector<double> h = bias_curvature();
    std::vector<double> z(static_cast<std::size_t>(width_)), q_bias(static_cast<std::size_t>(width_));
    const auto precondition = [&] {
      for (Index m = 0; m < width_; ++m) z[m] = h[m] * r_.bias[m];
    };
    precondition();
    double rz = square(r_, z);
    const double first = rz, accuracy = multinomial_accuracy(state_);
    double model = 0, part = 0;
    for (Index steps = 1; steps <= kMostSteps && rz > multinomial::kSolved * first; ++steps) {
      each([&](Index t, Index m) {
        dir_.v[t] = r_.v[t] + part * dir_.v[t];
        dir_.image[t] = r_.image[t] + z[m] + part * dir_.image[t];
      });
      for (Index m = 0; m < width_; ++m) dir_.bias[m] = z[m] + part * dir_.bias[m];
      curve();
      over_rows(q_, 1.0, q_bias);
      each([&](Index t, Index) { q_[t] += dir_.v[t]; });
      const double curvature =
          sum([&](Index t, Index m) { return q_[t] * (dir_.image[t] - dir_.bias[m]); }) + over_lanes(q_bias, dir_.bias);
      if (!(curvature > 0)) return;
      const double length = rz / curvature, gain = 0.5 * length * rz;
      each([&](Index t, Index) {
        s_.v[t] += length * dir_.v[t];
        s_.image[t] += length * dir_.image[t];
        r_.v[t] -= length * q_[t];
      });
      for (Index m = 0; m < width_; ++m) {
        s_.bias[m] += length * dir_.bias[m];
        r_.bias[m] -= length * q_bias[m];
      }
      model += gain;
      if (static_cast<double>(steps) * gain <= accuracy * model) return;
      multiply(r_.v, r_.image);
      precondition();
      const double next = square(r_, z);
      part = next / rz;
      rz = next;
    }
  }

  /// q = R of the direction's change of the scores.
  void curve() {
    pool_.for_range(n_, kRowPiece, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        double* own = q_.data() + i * width_;
        if (p_.C[i] == 0) {
          std::fill_n(own, width_, 0.0);
          continue;
        }
        std::copy_n(dir_.image.data() + i * width_, width_, own);
        softmax_curvature<double>(own, k_, p_.class_of[i], p_.C[i], prob_.data() + i * width_);
        std::fill(own + k_, own + width_, 0.0);
      }
    });
  }

  /// False: rounding allows no more.
  bool step() {
    std::vector<double> gradient(static_cast<std::size_t>(width_));
    over_rows(a_, 1.0, gradient);
    solve();
    exact_ = false;
    ++solution_.n_iter;
    const double along =
        sum([&](Index t, Index m) { return (b_.v[t] + a_[t]) * (s_.image[t] - s_.bias[m]); }) + over_lanes(gradient, s_.bias);
    const double bs = sum([&](Index t, Index m) { return b_.v[t] * (s_.image[t] - s_.bias[m]); });
    const double ss = sum([&](Index t, Index m) { return s_.v[t] * (s_.image[t] - s_.bias[m]); });
    const bool rounded = !(-along > kRounding * std::abs(state_.objective));
    double losses = 0;
    const auto change = [&](double part) {
      each([&](Index at, Index) { trial_[at] = b_.image[at] + part * s_.image[at]; });
      losses = softmax(trial_, next_a_);
      return part * bs + 0.5 * part * part * ss + (losses - losses_);
    };
    const double t = multinomial_step(change, along, rounded, [&] { return !stalled_; });
    if (t == 0) {
      softmax(b_.image, a_);
      solution_.stop_reason = StopReason::stagnated;
      return false;
    }
    stalled_ = rounded;
    each([&](Index at, Index) { b_.v[at] += t * s_.v[at]; });
    for (Index m = 0; m < width_; ++m) b_.bias[m] += t * s_.bias[m];
    std::swap(b_.image, trial_);
    std::swap(a_, next_a_);
    losses_ = losses;
    note_objective();
    return true;
  }

  void note_objective() {
    state_.objective = 0.5 * sum([&](Index t, Index m) { return b_.v[t] * (b_.image[t] - b_.bias[m]); }) + losses_;
  }

  /// The scores and all that follows from them, without the rounding of the steps.
  void refresh() {
    exact_ = true;
    multiply(b_.v, b_.image);
    each([&](Index t, Index m) { b_.image[t] += m < k_ ? b_.bias[m] : 0.0; });
    losses_ = softmax(b_.image, a_);
    note_objective();
  }

  /// w = X'B.
  void write() {
    solution_.w.assign(static_cast<std::size_t>(p_.cols() * k_), 0.0);
    pass_.visit(columns_, b_.v.data(), pool_, [&](Index j, const double* w) { std::copy_n(w, k_, solution_.w.data() + j * k_); });
    if (free_bias_) std::copy_n(b_.bias.data(), k_, solution_.w.data() + (p_.cols() - 1) * k_);
    center_free_weights(p_, solution_.w);
  }

  const MultinomialProblem& p_;
  const SolveOptions& options_;
  base::ThreadPool& pool_;
  Limits limits_;
  Index n_, k_;
  products::Columns columns_;
  products::LanePass pass_;
  Index width_;
  bool free_bias_, in_float_ = true, exact_ = true, stalled_ = false;
  Pair b_, r_, dir_, s_;  // the weights and their scores; the residual, whose image has no bias in it; direction; step
  std::vector<double> a_, q_, next_a_, trial_;
  base::Buffer<float> prob_;
  double losses_ = 0;
  MultinomialState state_;
  Solution solution_;
};

}  // namespace

Solution solve_multinomial_wide(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context,
                                LinearProblemReport& report) {
  return MultinomialWide(problem, options, context).run(report);
}

}  // namespace dcsvm::linear_fit
