// The multinomial model where X has more columns than rows, by the same Newton steps: w = X'B, B with an entry for each row.
//
// A gradient W + X'A is X'(B + A), and the Hessian takes X'V to X'(V + R(KV)), K = XX'. So all vectors of conjugate gradients are
// X'V, of which only V and KV are held, and their products are those of V and KV. A product with K is one pass over the columns
// of X, which reads and writes what has an entry for each row: nothing as long as the weights is touched before the end. The
// scores along a step are sums of what conjugate gradients had to compute anyway.
//
// A bias that is not regularised has no place in w = X'B: its weights, gradient and direction go beside those vectors. So a
// vector of conjugate gradients is V, KV, and the bias's entries, one after another, and the product of two of them is that of
// the V of one with the KV of the other, plus that of their biases.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/block_sums.hpp"
#include "base/table_cap.hpp"
#include "linear_fit/multinomial.hpp"
#include "linear_fit/multinomial_report.hpp"
#include "linear_fit/softmax_row.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/conjugate_gradients.hpp"
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
        columns_(*problem.exact_x, context.cap_bytes, *context.pool, problem.has_free_bias()),
        pass_(problem.penalized_cols(), n_, k_, columns_.stored()),
        width_(pass_.width()),
        free_bias_(problem.penalized_cols() < problem.cols()) {
    const double vectors = 5 * 2 + 5;  // five of conjugate gradients, each V and KV; weights, scores, a_, next_a_, trial_
    base::check_tables(sizeof(double) * vectors * static_cast<double>(pass_.size()) + pass_.bytes(), context.cap_bytes,
                       "vectors of the rows for " + std::to_string(k_) + " classes");
    a_.assign(static_cast<std::size_t>(pass_.size()), 0.0);
    b_ = scores_ = next_a_ = a_;
    bias_.assign(static_cast<std::size_t>(width_), 0.0);
    cg_.residual.assign(static_cast<std::size_t>(2 * pass_.size() + width_), 0.0);
    trial_ = a_;
    prob_ = base::Buffer<float>(pass_.size(), 0.0F);
  }

  Solution run(LinearProblemReport& report) {
    losses_ = softmax(scores_, a_);
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
    if (!columns_.centres().empty()) report.gradient_norm = gradient_norm();
    return std::move(solution_);
  }

 private:
  /// As ConjugateGradients takes them, of vectors as above.
  struct Sums {
    base::ThreadPool& pool;
    Index size;  // of V
    Index width;
    double dot(const std::vector<double>& a, const std::vector<double>& b) const {
      const double of_rows = base::sum_blocks(size, products::kEntryPiece, pool, [&](Index begin, Index end) {
        double sum = 0;
        for (Index t = begin; t < end; ++t) sum += a[size + t] * b[t];
        return sum;
      });
      return std::inner_product(a.end() - width, a.end(), b.end() - width, of_rows);
    }
    template <class Fn>
    void each(const Fn& fn) const {
      pool.for_range(2 * size + width, products::kEntryPiece, [&](Index begin, Index end, int) {
        for (Index t = begin; t < end; ++t) fn(t);
      });
    }
  };
  Sums sums() const { return {pool_, pass_.size(), width_}; }
  /// The bias's entries of such a vector.
  const double* bias_of(const std::vector<double>& v) const { return v.data() + 2 * pass_.size(); }
  double* bias_of(std::vector<double>& v) const { return v.data() + 2 * pass_.size(); }

  /// Sum of term(t) over all entries of the rows' vectors.
  template <class Term>
  double sum(const Term& term) const {
    return base::sum_blocks(pass_.size(), products::kEntryPiece, pool_, [&](Index begin, Index end) {
      double sum = 0;
      for (Index t = begin; t < end; ++t) sum += term(t);
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
  /// out = K v.
  void multiply(const double* v, double* out) {
    double none = 0;
    const auto use = [](Index, auto*, double&) { return true; };
    const bool in_float = in_float_ && !exact_;
    if (in_float) in_float_ = pass_.run<float>(columns_, v, out, pool_, none, use);
    if (!in_float || !in_float_) pass_.run<double>(columns_, v, out, pool_, none, use);
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
  void over_rows(const double* a, double sign, double* out) const {
    std::fill_n(out, width_, 0.0);
    if (!free_bias_) return;
    for (Index i = 0; i < n_; ++i) {
      for (Index m = 0; m < k_; ++m) out[m] += sign * a[i * width_ + m];
    }
  }

  /// -gradient.
  void residual() {
    std::vector<double>& r = cg_.residual;
    each([&](Index t, Index) { r[t] = -(b_[t] + a_[t]); });
    over_rows(a_.data(), -1.0, bias_of(r));
    multiply_residual();
  }
  void multiply_residual() { multiply(cg_.residual.data(), cg_.residual.data() + pass_.size()); }

  void measure() {
    const double squares = sums().dot(cg_.residual, cg_.residual);
    state_.gradient_norm = std::sqrt(squares);
    state_.gap = 0.5 * squares;
  }

  /// In the columns as given.
  double gradient_norm() {
    each([&](Index t, Index) { trial_[t] = b_[t] + a_[t]; });
    std::vector<double> of_bias(static_cast<std::size_t>(width_));
    over_rows(a_.data(), 1.0, of_bias.data());
    std::vector<double> squares(static_cast<std::size_t>(p_.cols()), 0.0);
    pass_.visit(columns_, trial_.data(), pool_, [&](Index j, const double* g) {
      for (Index m = 0; m < k_; ++m) squares[j] += std::pow(g[m] + columns_.centre(j) * of_bias[m], 2);
    });
    const double of_others = std::accumulate(squares.begin(), squares.end(), 0.0);
    return std::sqrt(std::inner_product(of_bias.begin(), of_bias.end(), of_bias.begin(), of_others));
  }

  bool cancelled() { return limits_.cancelled(solution_, state_.objective, n_); }

  bool ends() { return multinomial_ends(p_, state_, options_, limits_, solution_, exact_); }

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

  /// cg_.solution = -H^-1 g, nearly, from the residual -g.
  void solve() {
    const std::vector<double> h = bias_curvature();
    cg_.begin(std::move(cg_.residual), sums());
    const double accuracy = multinomial_accuracy(state_);
    double model = 0;
    while (cg_.steps < kMostSteps) {
      cg_.preconditioned = cg_.residual;
      for (Index m = 0; m < width_; ++m) bias_of(cg_.preconditioned)[m] *= h[m];
      if (cg_.turn(sums()) <= multinomial::kSolved * cg_.first_square) return;
      curve();
      if (!(cg_.advance(sums()) > 0)) return;
      model += cg_.gain;
      if (static_cast<double>(cg_.steps) * cg_.gain <= accuracy * model || cancelled()) return;
      multiply_residual();
    }
  }

  /// cg_.image = H times the direction. Its KV stays 0: that of the residual is formed from the residual itself.
  void curve() {
    const std::vector<double>& direction = cg_.direction;
    std::vector<double>& out = cg_.image;
    const double *scores = direction.data() + pass_.size(), *bias = bias_of(direction);
    pool_.for_range(n_, kRowPiece, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        double* own = out.data() + i * width_;
        if (p_.C[i] == 0) {
          std::fill_n(own, width_, 0.0);
          continue;
        }
        for (Index m = 0; m < width_; ++m) own[m] = scores[i * width_ + m] + bias[m];
        softmax_curvature<double>(own, k_, p_.class_of[i], p_.C[i], prob_.data() + i * width_);
        std::fill(own + k_, own + width_, 0.0);
      }
    });
    over_rows(out.data(), 1.0, bias_of(out));
    each([&](Index t, Index) { out[t] += direction[t]; });
  }

  /// False: rounding allows no more.
  bool step() {
    std::vector<double> gradient(static_cast<std::size_t>(width_));
    over_rows(a_.data(), 1.0, gradient.data());
    solve();
    exact_ = false;
    ++solution_.n_iter;
    const double *s = cg_.solution.data(), *image = s + pass_.size(), *bias = bias_of(cg_.solution);
    const double of_rows = sum([&](Index t) { return (b_[t] + a_[t]) * image[t]; });
    const double along = std::inner_product(gradient.begin(), gradient.end(), bias, of_rows);
    const double bs = sum([&](Index t) { return b_[t] * image[t]; });
    const double ss = sum([&](Index t) { return s[t] * image[t]; });
    const bool rounded = !(-along > kRounding * std::abs(state_.objective));
    double losses = 0;
    const auto change = [&](double part) {
      each([&](Index t, Index m) { trial_[t] = scores_[t] + part * (image[t] + bias[m]); });
      losses = softmax(trial_, next_a_);
      return part * bs + 0.5 * part * part * ss + (losses - losses_);
    };
    const double t = multinomial_step(change, along, rounded, [&] { return !stalled_; });
    if (t == 0) {
      softmax(scores_, a_);
      solution_.stop_reason = StopReason::stagnated;
      return false;
    }
    stalled_ = rounded;
    each([&](Index at, Index) { b_[at] += t * s[at]; });
    for (Index m = 0; m < width_; ++m) bias_[m] += t * bias[m];
    std::swap(scores_, trial_);
    std::swap(a_, next_a_);
    losses_ = losses;
    note_objective();
    return true;
  }

  void note_objective() {
    state_.objective = 0.5 * sum([&](Index t) { return b_[t] * (scores_[t] - bias_[t % width_]); }) + losses_;
  }

  /// The scores and all that follows from them, without the rounding of the steps.
  void refresh() {
    exact_ = true;
    multiply(b_.data(), scores_.data());
    each([&](Index t, Index m) { scores_[t] += m < k_ ? bias_[m] : 0.0; });
    losses_ = softmax(scores_, a_);
    note_objective();
  }

  /// w = X'B.
  void write() {
    solution_.w.assign(static_cast<std::size_t>(p_.cols() * k_), 0.0);
    pass_.visit(columns_, b_.data(), pool_, [&](Index j, const double* w) { std::copy_n(w, k_, solution_.w.data() + j * k_); });
    if (free_bias_) {
      std::vector<double>& w = solution_.w;
      std::copy_n(bias_.data(), k_, w.data() + (p_.cols() - 1) * k_);
      each_centre(p_, columns_, k_, [&](Index of_weight, Index bias, double part) { w[bias] -= part * w[of_weight]; });
    }
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
  std::vector<double> b_, bias_, scores_;  // the weights X'B and the bias's; KB and the bias
  std::vector<double> a_, next_a_, trial_;
  optimise::ConjugateGradients<> cg_;
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
