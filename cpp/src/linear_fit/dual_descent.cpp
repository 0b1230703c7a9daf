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
//
// X in blocks on disk: each pass goes through the blocks in random order, and once through the rows of each. Where all blocks are
// in memory the order is over all rows: few blocks need many times the passes.
#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/dual_step.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr std::int64_t kMaxDualPasses = 3000;  // of cheap passes, more than Newton steps

class DualDescent {
 public:
  DualDescent(const Problem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem),
        options_(options),
        context_(context),
        limits_("dual_descent", kMaxDualPasses, options, context),
        random_(options.seed),
        tol_(options.visit_part * options.tol) {
    solution_.w.assign(p_.cols(), 0.0);
    const Index n = p_.rows();
    solution_.alpha.assign(n, 0.0);
    rows_.resize(n);
    if (!p_.x->rows_in_memory() && !by_block()) {
      for (Index b = 0; b < p_.x->blocks(); ++b) {
        kept_.push_back({&p_.x->kept(b), p_.x->first_row(b)});
        block_of_.insert(block_of_.end(), static_cast<std::size_t>(kept_.back().x->rows()), static_cast<std::int32_t>(b));
      }
    }
    pieces_ = base::index_range(by_block() ? p_.x->blocks() : 1);
    all_.resize(pieces_.size());
    each_piece([&](Index piece) {
      context.pool->for_range(x_->rows(), x_->grain(), [&](Index begin, Index end, int) {
        for (Index i = first_ + begin; i < first_ + end; ++i) {
          const RowLoss loss{p_.loss, {p_.y[i], p_.C[i]}};
          const double curve = loss.dual_curve();
          rows_[i] = {place(i).x.norm2(place(i).row) + curve, curve, loss.upper(), p_.y[i]};
        }
      });
      for (Index i = first_; i < first_ + x_->rows(); ++i) {
        if (p_.C[i] > 0) all_[piece].push_back(i);
      }
    });
    restore();
  }

  Solution run() {
    if (n_active_ > 0) {
      if (options_.start_alpha != nullptr) {
        solution_.alpha = *options_.start_alpha;
        p_.x->transposed(solution_.alpha.data(), solution_.w.data(), *context_.pool);
      }
      switch (dual_form(p_.loss)) {
        case DualForm::shares: logistic(); break;
        case DualForm::labels: hinge(); break;
        case DualForm::targets: tube(); break;
        case DualForm::none: break;
      }
      solution_.w_is_sum = true;
      solution_.rule = by_block() ? Rule::none : Rule::rows;
      solution_.limit = solution_.gap_limit = options_.tol;
    }
    return std::move(solution_);
  }

 private:
  /// What a step needs of a row, next to each other in memory because rows come in random order: q = |x|^2 + d, the curvature of
  /// the dual problem; d and upper: RowLoss::dual_curve() and upper().
  struct Row {
    double q, d, upper, y;
  };

  bool may_polish() const {
    const double passes = static_cast<double>(solution_.n_iter);
    return linear_fit::may_polish(*p_.x, passes, options_) && 2 * solution_.n_iter < limits_.steps() && tol_ > kTiny;
  }
  double tol() const { return by_block() || may_polish() ? tol_ : options_.visit_part * options_.tol; }

  /// Calls fn(number of the piece) for all pieces, with x_ and first_ set. A piece is a block of the file; X in memory is one
  /// piece.
  template <class Fn>
  void each_piece(const Fn& fn) {
    for (const Index piece : pieces_) {
      const auto use = [&](Index first, const Matrix& x) {
        first_ = first;
        x_ = &x;
        fn(piece);
      };
      by_block() ? p_.x->visit(piece, *context_.pool, use) : use(0, *p_.x);
    }
  }

  /// All rows are active again.
  void restore() {
    active_ = all_;
    n_active_ = n_all_ = 0;
    for (const auto& rows : all_) n_active_ += static_cast<Index>(rows.size());
    n_all_ = n_active_;
  }

  /// Called when all rows have met the tolerance. Returns whether that ends the descent; if not, the tolerance has become
  /// smaller. Blocks move w to and fro: what each row met when it was visited says less than in random order, and the duality gap
  /// decides.
  bool settled() {
    const double limit = by_block() ? options_.relative_gap : kPolishedGap;
    if ((by_block() || may_polish()) && solution_.stop_reason == StopReason::converged) {
      solution_.w_is_sum = true;
      if (!certificate(p_, solution_, *context_.pool).quality.within(limit)) {
        tol_ *= kTighter;
        return false;
      }
    }
    // The pass that met the tolerance was the last one that was allowed.
    if (solution_.stop_reason == StopReason::max_iter) solution_.stop_reason = StopReason::converged;
    return true;
  }

  /// Visits the active rows in random order; where step(i) is false, row i leaves the active set. Returns false, with the reason
  /// set, where no further pass is to follow.
  template <class Step>
  bool pass(const Step& step) {
    constexpr std::size_t kAhead = products::kRowsAhead;
    base::shuffle(pieces_, random_);
    n_active_ = 0;
    Index seen = 0;
    each_piece([&](Index piece) {
      std::vector<Index>& active = active_[piece];
      base::shuffle(active, random_);
      Index kept = 0;
      for (std::size_t k = 0; k < active.size(); ++k) {
        if (k + 4 * kAhead < active.size()) prefetch(active[k + 4 * kAhead]);
        if (k + kAhead < active.size()) {
          const Place next = place(active[k + kAhead]);
          next.x.prefetch(next.row);
        }
        if (++seen % products::kRowPiece == 0) context_.pool->poll();
        const Index i = active[k];
        if (step(i)) active[kept++] = i;
      }
      active.resize(kept);
      n_active_ += kept;
    });
    ++solution_.n_iter;
    return !limits_.cancelled(solution_, 0.0, n_active_) && !limits_.used_up(solution_);
  }

  bool by_block() const { return !p_.x->all_kept(); }

  struct Place {
    const Matrix& x;
    Index row;
  };
  /// Row i, of the piece that is visited.
  Place place(Index i) const {
    if (block_of_.empty()) return {*x_, i - first_};
    const Block& block = kept_[static_cast<std::size_t>(block_of_[i])];
    return {*block.x, i - block.first};
  }

  void prefetch(Index i) const {
    const Place at = place(i);
    at.x.prefetch_place(at.row);
    __builtin_prefetch(rows_.data() + i);
    __builtin_prefetch(solution_.alpha.data() + i);
  }

  double dot(Index i) const {
    const Place at = place(i);
    return at.x.dot(at.row, solution_.w.data());
  }

  void move(Index i, double a) {
    const double change = a - solution_.alpha[i];
    if (change == 0) return;
    solution_.alpha[i] = a;
    const Place at = place(i);
    at.x.add(at.row, change, solution_.w.data());
  }

  void hinge() {
    optimise::Shrinking shrinking;
    for (bool go = true; go;) {
      go = pass([&](Index i) {
        const Row& r = rows_[i];
        const double b = solution_.alpha[i] * r.y;
        const double g = r.y * dot(i) - 1.0 + r.d * b;
        if (shrinking.leaves(b, g, r.upper)) return false;
        const double pg = optimise::projected(b, g, r.upper);
        shrinking.see(pg);
        if (std::abs(pg) > kTiny) move(i, r.y * optimise::dual_minimum(b, g, r.q, r.upper));
        return true;
      });
      const double high = shrinking.largest(), low = shrinking.smallest();
      solution_.violation = n_active_ == 0 ? 0.0 : std::max({high - low, std::abs(high), std::abs(low)});
      shrinking.next_pass();
      if (solution_.violation > tol()) continue;
      if (n_active_ == n_all_ && settled()) return;
      restore();
      shrinking = {};
    }
  }

  void tube() {
    const double zone = rows_.empty() ? 0.0 : p_.row(0).dead_zone();  // all rows have the same
    double first = -1.0, high = kInfinity;
    for (bool go = true; go;) {
      double largest = 0, sum = 0;
      go = pass([&](Index i) {
        const Row& r = rows_[i];
        const double a = solution_.alpha[i];
        const double g = dot(i) - r.y + r.d * a;
        const double up = g + zone, down = g - zone;  // derivatives for growing and falling a
        // Shrinking: the row's derivatives hold its variable at 0 or at a bound with more than the margin of the last pass.
        if (a == 0 ? up > high && down < -high : a >= r.upper ? up < -high : a <= -r.upper && down > high) return false;
        const double violation = tube_violation(a, up, down, r.upper);
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
        if (std::abs(to - a) > kTiny * std::max(std::abs(to), std::abs(a))) move(i, to);
        return true;
      });
      if (first < 0) solution_.violation_unit = first = sum;
      solution_.violation = first > 0 ? sum / first : 0.0;
      if (sum <= tol() * first) {
        if (n_active_ == n_all_ && settled()) return;
        restore();
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
    for (; steps < kMostRounds && std::abs(g) >= inner; ++steps) {
      const double curve = q + C / (z * (C - z));
      const double next = z - g / curve;
      z = next <= 0 ? z * 0.1 : std::min(next, 0.5 * (z + C));
      g = q * (z - start) + slope_sign * yz + std::log(z / (C - z));
    }
    return mirrored ? C - z : z;
  }

  void logistic() {
    if (options_.start_alpha == nullptr) {
      each_piece([&](Index piece) {
        for (const Index i : all_[piece]) move(i, rows_[i].y * std::min(0.001 * p_.C[i], 1e-8));
      });
    }
    double inner = 1e-2;
    const double least_inner = std::min(1e-8, options_.tol);
    for (bool go = true; go;) {
      double largest = 0;
      std::int64_t steps = 0;
      go = pass([&](Index i) {
        const Row& r = rows_[i];
        const double C = p_.C[i], b = solution_.alpha[i] * r.y, yz = r.y * dot(i);
        largest = std::max(largest, std::abs(yz + std::log(b / (C - b))));
        int taken = 0;
        const double to = logistic_minimum(b, r.q, yz, C, inner, taken);
        steps += taken;
        if (taken > 0 && to > 0 && to < C) move(i, r.y * to);
        return true;
      });
      solution_.n_inner += steps;
      solution_.violation = largest;
      if (largest < tol() && settled()) return;
      if (steps <= n_all_ / 10) inner = std::max(least_inner, 0.1 * inner);
    }
  }

  const Problem& p_;
  struct Block {
    const Matrix* x;
    Index first;  ///< row
  };
  std::vector<Block> kept_;  // the blocks of a file, where all are in memory; else empty
  std::vector<std::int32_t> block_of_;  // of each row, likewise
  const SolveOptions& options_;
  base::Context& context_;
  Limits limits_;
  base::Random random_;
  std::vector<Row> rows_;
  std::vector<Index> pieces_;  // of X, in the order of the last pass
  std::vector<std::vector<Index>> active_, all_;  // rows, by piece
  Index n_active_ = 0, n_all_ = 0;
  const Matrix* x_ = nullptr;  // the piece that is visited
  Index first_ = 0;  // its first row
  double tol_;
  Solution solution_;
};

}  // namespace

Solution solve_dual_descent(const Problem& problem, const SolveOptions& options, base::Context& context) {
  return DualDescent(problem, options, context).run();
}

}  // namespace dcsvm::linear_fit
