// Crammer and Singer's problem for few columns: the augmented Lagrangian method, as augmented_lagrangian.cpp has it for two
// classes. [1] Crammer, Singer: On the algorithmic implementation of multiclass kernel-based vector machines (JMLR 2, 2001). [2]
// Li, Sun, Toh: A highly efficient semismooth Newton augmented Lagrangian method for solving Lasso problems (SIAM Journal on
//     Optimization 28, 2018).
//
// The primal problem is min 1/2 sum_m |w_m|^2 + sum_i max_{a in A_i} -a's_i, s_im = w_m'x_i + e_im, with the dual variables of
// multiclass_descent.cpp: A_i = {a: sum_m a_m = 0, a_m <= C_i [m = y_i]}. The inner problem replaces each maximum by its Moreau
// envelope, shifted by the row's dual variables: max_a -a's_i - |a - shift_i|^2 / (2 sigma), whose a is the projection of
// shift_i - sigma s_i on A_i, a simplex. Its derivative by s_i is -a, and the second one sigma (I - 11'/r) on the r classes
// below their bounds: only rows with two of these or more are in the Hessian.
//
// Newton's steps take all classes together, by conjugate gradients. The preconditioner is the same for all classes: it has the
// mean of a row's second derivative, sigma (r - 1) / (k - 1). One for each class would move the sum of the w_m, in which the
// Hessian is the identity. The line search costs O(n k), because scores are kept.
//
// With w' = X'a = w - g the gap between w and a is the sum of the rows' max_b -b's_i + a's_i, and 1/2 |g|^2.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/cholesky.hpp"
#include "linear_fit/multiclass.hpp"
#include "linear_fit/sample_start.hpp"
#include "linear_fit/simplex.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/conjugate_gradients.hpp"
#include "optimise/line_search.hpp"
#include "products/gram_matrix.hpp"
#include "products/several_vectors.hpp"
#include "simd/ops.hpp"

namespace dcsvm::linear_fit {

namespace {

class MulticlassLagrangian {
 public:
  MulticlassLagrangian(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem),
        x_(problem.x),
        options_(options),
        limits_("augmented_lagrangian", kNoLimit, options, context),
        pool_(*context.pool),
        n_(problem.x->rows()),
        d_(problem.x->cols()),
        k_(problem.classes),
        gram_(*problem.x, 1) {
    for (auto* v : {&z_, &zs_, &a_, &shift_}) v->assign(n_ * k_, 0.0);
    for (auto* v : {&w_, &g_}) v->assign(d_ * k_, 0.0);
    free_.assign(n_, 0);
    factor_free_.assign(n_, 0);
  }

  /// From the solution of a sample of the rows: w, column by column.
  void start(const std::vector<double>& w) {
    for (Index j = 0; j < d_; ++j) {
      for (Index m = 0; m < k_; ++m) w_[m * d_ + j] = w[j * k_ + m];
    }
    products::row_products(*x_, lanes(std::as_const(w_)), lanes(z_), pool_);
    first_sigma_ = kSampleSigma;
  }

  Solution run(LinearProblemReport& report) {
    const double largest = *std::max_element(p_.C.begin(), p_.C.end());
    // Where C is so small beside 1 / |x_i|^2 that the w_m stay near 0, sigma must be as large as that to matter.
    double norms = 0, rows = 0;
    for (Index i = 0; i < n_; ++i) {
      if (p_.C[i] == 0) continue;
      norms += x_->norm2(i);
      ++rows;
    }
    const double unit = std::max(largest, norms > 0 ? rows / norms : 0.0), most_sigma = kMostSigma * unit;
    sigma_ = first_sigma_ * (unit > 0 ? unit : 1.0);
    double inner = kInfinity;
    std::vector<double> before = w_;
    LinearProblemReport last;
    double last_gap = kInfinity;
    bool was_reached = false;
    for (int round = 0;; ++round) {
      minimise(inner);
      report = certify();
      const double gap = quality_.relative(options_.tol);
      const bool near = report.violation <= options_.tol && gap <= options_.tol;
      const bool reached = near && (solution_.n_inner >= kEasyProducts || settled());
      const bool lower = report.primal_objective < last.primal_objective;
      // Losses far larger than what is achieved may round the difference away.
      const bool nearer = report.primal_objective == last.primal_objective && quality_.gap < last_gap;
      const bool better = reached && (lower || nearer);
      if (was_reached && solution_.stop_reason != StopReason::cancelled && !better) {
        w_ = std::move(before);  // rounding allows no more
        a_ = shift_;
        report = last;
        break;
      }
      if (solution_.stop_reason == StopReason::cancelled) break;
      const bool exhausted = !std::isfinite(gap) || sigma_ >= most_sigma;
      const bool limited = exhausted || solution_.n_iter >= limits_.steps();
      if ((reached && (gap <= kPolishedGap || !may_polish())) || limited || round + 1 == kMostRounds) {
        solution_.stop_reason = reached ? StopReason::converged : StopReason::max_iter;
        if (x_ == p_.exact_x) break;
        read_exact();
        report = certify();
        if (!reached || limited || report.violation <= options_.liblinear_tol) break;
      }
      was_reached = reached;
      before = w_;
      last = report;
      last_gap = quality_.gap;
      shift_ = a_;
      inner = std::min(inner, (reached ? kLateInnerPart : kInnerPart) * quality_.gap);
      sigma_ = std::min(sigma_ * (reached ? kLateGrowth : kGrowth), most_sigma);
    }
    finish(report);
    return std::move(solution_);
  }

 private:
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();  // rounds are limited
  static constexpr Index kMaxRoundSteps = 100;  // a round that needs more has a sigma too large; the next one goes on
  static constexpr double kFirstSigma = 0.5;  // likewise: at w = 0 all rows are in the curved part
  static constexpr double kSampleSigma = 2.0;  // the same at the solution of a sample
  static constexpr double kGrowth = 1.5,
                          kLateGrowth = 4.0;  // of sigma; after the tolerance is met. More needs fewer rounds and longer ones
  static constexpr double kInnerPart = 0.5, kLateInnerPart = 0.1;  // of the gap, for the next inner problem
  static constexpr double kAccuracy = 0.3;  // of a step: the residual's norm
  static constexpr Index kMostProducts = 100;  // of a step
  // Problems that need few products are easy for a descent too: LIBLINEAR leaves 1e-4 of the objective there, and 1e-2 on others.
  // Until so many products are done, |g|^2 / 2 must be this share of Quality::unit().
  static constexpr std::int64_t kEasyProducts = 100;
  static constexpr double kEasyPart = 5e-7;
  static constexpr double kRounding = 1e-13;  // relative: what a step gains at the least
  static constexpr Index kRowsOfColumn = 3;  // in the preconditioner, about
  static constexpr double kKeep = 0.1;  // share of the rows in the Hessian that may change
  static constexpr Index kSolved = 4;  // classes of one piece of parallel work
  static constexpr Index kGrain = 256;  // rows of one piece of parallel work
  using Mask = std::uint32_t;

  products::Vectors lanes(std::vector<double>& v) const {
    products::Vectors out;
    const Index size = static_cast<Index>(v.size()) / k_;
    for (Index m = 0; m < k_; ++m) out.push_back(v.data() + m * size);
    return out;
  }
  products::ConstVectors lanes(const std::vector<double>& v) const {
    products::ConstVectors out;
    const Index size = static_cast<Index>(v.size()) / k_;
    for (Index m = 0; m < k_; ++m) out.push_back(v.data() + m * size);
    return out;
  }

  /// Sums over all weights, one after another.
  struct InOrder {
    std::size_t size;
    static double dot(const std::vector<double>& a, const std::vector<double>& b) { return product(a, b); }
    template <class Fn>
    void each(const Fn& fn) const {
      for (std::size_t j = 0; j < size; ++j) fn(j);
    }
  };

  static double product(const std::vector<double>& a, const std::vector<double>& b) {
    return simd::ops<double>().dot(a.data(), b.data(), static_cast<Index>(a.size()));
  }

  bool may_polish() const { return linear_fit::may_polish(*x_, static_cast<double>(k_) * newton_passes(solution_), options_); }

  bool settled() const { return 0.5 * product(g_, g_) <= kEasyPart * quality_.unit(options_.tol); }

  /// term(i) summed over the rows in fixed blocks: the same bits for any number of threads.
  template <class Term>
  double over_rows(const Term& term) const {
    std::vector<double> part((n_ + kGrain - 1) / kGrain, 0.0);
    pool_.for_range(n_, kGrain, [&](Index begin, Index end, int) {
      double sum = 0;
      for (Index i = begin; i < end; ++i) sum += term(i);
      part[begin / kGrain] = sum;
    });
    double sum = 0;
    for (const double v : part) sum += v;
    return sum;
  }

  /// The scores of row i at w + t s, less 1: only their differences matter.
  void scores(Index i, double t, double* out) const {
    const int y = p_.class_of[i];
    for (Index m = 0; m < k_; ++m) out[m] = z_[m * n_ + i] - (m == y ? 1.0 : 0.0) + (t != 0 ? t * zs_[m * n_ + i] : 0.0);
  }

  /// The variables of row i that belong to these scores; returns the classes below their bound.
  Mask project(Index i, const double* score, double* a) const {
    const double C = p_.C[i];
    const int y = p_.class_of[i];
    // p = C e_y - a >= 0, whose sum is C.
    double v[products::kMostLanes];
    for (Index m = 0; m < k_; ++m) v[m] = sigma_ * score[m] - shift_[m * n_ + i] + (m == y ? C : 0.0);
    const double theta = shift_on_simplex(v, k_, C);
    Mask below = 0;
    for (Index m = 0; m < k_; ++m) {
      const double p = std::max(0.0, v[m] - theta);
      a[m] = (m == y ? C : 0.0) - p;
      below |= p > 0 ? Mask{1} << m : 0;
    }
    return below;
  }

  static Index count(Mask bits) { return __builtin_popcount(bits); }

  /// The inner objective at w, with the variables and masks of the rows.
  void evaluate() {
    f_ = 0.5 * product(w_, w_) + over_rows([&](Index i) {
           free_[i] = 0;
           if (p_.C[i] == 0) return 0.0;
           double score[products::kMostLanes], a[products::kMostLanes];
           scores(i, 0.0, score);
           const Mask below = project(i, score, a);
           if (count(below) > 1) free_[i] = below;
           double sum = 0;
           for (Index m = 0; m < k_; ++m) {
             const double moved = a[m] - shift_[m * n_ + i];
             sum -= a[m] * score[m] + moved * moved / (2.0 * sigma_);
             a_[m * n_ + i] = a[m];
           }
           return sum;
         });
  }

  void gradient() {
    transposed_products(*x_, lanes(std::as_const(a_)), lanes(g_), pool_);
    for (std::size_t j = 0; j < g_.size(); ++j) g_[j] = w_[j] - g_[j];
  }

  /// Of the inner objective at w + t s, by t.
  double slope(double t, double ws, double ss) const {
    return ws + t * ss + over_rows([&](Index i) {
             if (p_.C[i] == 0) return 0.0;
             double score[products::kMostLanes], a[products::kMostLanes], sum = 0;
             scores(i, t, score);
             project(i, score, a);
             for (Index m = 0; m < k_; ++m) sum -= a[m] * zs_[m * n_ + i];
             return sum;
           });
  }

  /// Newton's steps until the inner problem's gap is `limit`; infinity: a share of its objective, and of what is achieved.
  void minimise(double limit) {
    evaluate();
    for (Index steps = 0;; ++steps) {
      gradient();
      const double gap = 0.5 * product(g_, g_);
      const double enough = limit < kInfinity ? limit : kInnerPart * std::min(std::abs(f_), decrease());
      if (!(gap > enough) || steps == kMaxRoundSteps) return;
      if (solution_.n_iter >= limits_.steps()) return;
      if (limits_.cancelled(solution_, f_, n_ - std::count(free_.begin(), free_.end(), Mask{0}))) return;
      direction();
      const bool moved = move();
      ++solution_.n_iter;
      evaluate();
      if (!moved) return gradient();
    }
  }

  /// The preconditioner's factor: of I and some rows for each column, with the true diagonal where theirs falls short of it. It
  /// stays while few rows have changed.
  void factor() {
    Index changed = sigma_ == factor_sigma_ ? 0 : n_;
    for (Index i = 0; i < n_; ++i) changed += free_[i] != factor_free_[i] ? 1 : 0;
    if (static_cast<double>(changed) <= kKeep * static_cast<double>(coupled_.size())) return;
    factor_free_ = free_;
    factor_sigma_ = sigma_;
    const auto active = static_cast<Index>(coupled_.size()), step = std::max<Index>(1, active / (kRowsOfColumn * d_));
    std::vector<double> curvature(n_, 0.0), weights, diagonal(d_, 0.0);
    std::vector<Index> rows;
    for (const products::CoupledRow& row : coupled_)
      curvature[row.row] = sigma_ * static_cast<double>(count(row.lanes) - 1) / static_cast<double>(k_ - 1);
    for (Index t = 0; t < active; t += step) {
      rows.push_back(coupled_[t].row);
      weights.push_back(static_cast<double>(step) * curvature[rows.back()]);
    }
    do {
      gram_.clear();
    } while (!gram_.add(rows, weights, gram_.tiles(), scratch_, pool_));
    if (step > 1) x_->squares(curvature.data(), diagonal.data(), pool_);
    factor_ = gram_.values();
    for (Index j = 0; j < d_; ++j) {
      double& own = factor_[j * d_ + j];
      own = 1.0 + std::max(own, diagonal[j]);
    }
    factored_ = kernels::cholesky(factor_.data(), d_, pool_);
  }

  void precondition() {
    cg_.preconditioned = cg_.residual;
    if (!factored_) return;  // the range of double
    pool_.for_each((k_ + kSolved - 1) / kSolved, [&](Index part, int) {
      double* y = cg_.preconditioned.data() + part * kSolved * d_;
      const Index columns = std::min(kSolved, k_ - part * kSolved);
      kernels::solve_lower(factor_.data(), d_, y, columns, [] {});
      kernels::solve_lower_transposed(factor_.data(), d_, y, columns, [] {});
    });
  }

  /// s = -H^-1 g, about.
  void direction() {
    coupled_.clear();
    for (Index i = 0; i < n_; ++i) {
      if (free_[i] != 0) coupled_.push_back({i, free_[i]});
    }
    factor();
    std::vector<double> minus_g(g_);
    for (double& v : minus_g) v = -v;
    cg_.begin(std::move(minus_g), InOrder{g_.size()});
    precondition();
    const double enough = kAccuracy * kAccuracy * cg_.turn(InOrder{g_.size()});
    for (Index products = 0; products < kMostProducts; ++products) {
      pool_.poll();
      coupled_products(*x_, coupled_, sigma_, lanes(std::as_const(cg_.direction)), lanes(cg_.image), pool_);
      for (std::size_t j = 0; j < g_.size(); ++j) cg_.image[j] += cg_.direction[j];
      ++solution_.n_inner;
      if (!(cg_.advance(InOrder{g_.size()}) > 0)) return;
      precondition();
      if (!(cg_.turn(InOrder{g_.size()}) > enough)) return;
    }
  }

  /// Along s to where the derivative is small. False: nothing is gained that the objective's digits show.
  bool move() {
    const std::vector<double>& s = cg_.solution;
    products::row_products(*x_, lanes(s), lanes(zs_), pool_);
    const double along = product(g_, s), ws = product(w_, s), ss = product(s, s);
    const double t = optimise::false_position([&](double at) { return slope(at, ws, ss); }, along);
    for (std::size_t j = 0; j < w_.size(); ++j) w_[j] += t * s[j];
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] += t * zs_[i];
    return -along > kRounding * std::abs(f_);
  }

  /// 1/2 |X'a|^2, where w - g = X'a.
  double dual_norm() const {
    double norm = 0;
    for (std::size_t j = 0; j < w_.size(); ++j) norm += 0.5 * (w_[j] - g_[j]) * (w_[j] - g_[j]);
    return norm;
  }

  /// Quality::decrease of a.
  double decrease() const {
    return dual_norm() + over_rows([&](Index i) { return p_.C[i] - a_[p_.class_of[i] * n_ + i]; });
  }

  /// From z and a.
  LinearProblemReport certify() {
    const Certificate found = certificate(p_,
                                          {0.5 * product(w_, w_), dual_norm(), 0.5 * product(g_, g_),
                                           [this](Index i, double* score, double* a) {
                                             scores(i, 0.0, score);
                                             for (Index m = 0; m < k_; ++m) a[m] = a_[m * n_ + i];
                                           }},
                                          pool_);
    quality_ = found.quality;
    return found.report;
  }

  void read_exact() {
    x_ = p_.exact_x;
    products::row_products(*x_, lanes(std::as_const(w_)), lanes(z_), pool_);
    gradient();
  }

  void finish(LinearProblemReport& report) {
    if (x_ != p_.exact_x) {  // cancelled, or back at the round before
      read_exact();
      report = certify();
    }
    solution_.violation = report.violation;
    solution_.w.resize(d_ * k_);
    for (Index j = 0; j < d_; ++j) {
      for (Index m = 0; m < k_; ++m) solution_.w[j * k_ + m] = w_[m * d_ + j];
    }
    for (Index i = 0; i < n_; ++i) report.n_support += a_[p_.class_of[i] * n_ + i] != 0 ? 1 : 0;
    complete(report, solution_);
  }

  const MulticlassProblem& p_;
  const Matrix* x_;  // what is read
  const SolveOptions& options_;
  Limits limits_;
  base::ThreadPool& pool_;
  Index n_, d_, k_;
  double first_sigma_ = kFirstSigma, sigma_ = 1.0, f_ = 0.0;
  products::GramMatrix gram_;
  products::TileRows scratch_;
  std::vector<double> factor_;
  bool factored_ = false;
  double factor_sigma_ = 0.0;
  std::vector<double> z_, zs_, a_, shift_;  // n for each class: Xw, Xs, the dual variables, those of the round before
  std::vector<Mask> free_;  // classes below their bound of each row, where they are two or more
  std::vector<Mask> factor_free_;  // those in the factor
  std::vector<products::CoupledRow> coupled_;
  std::vector<double> w_, g_;  // d for each class
  optimise::ConjugateGradients<> cg_;  // likewise; its solution is the step s
  Quality quality_;  // as the last certificate found it
  Solution solution_;
};

/// The solution of an eighth of the rows, each with eight times its C, which starts on a sample of its own; empty: rows are too
/// few.
std::vector<double> sample_solution(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context) {
  constexpr Index kRowsPerColumn = 32;  // with fewer, the sample's w is so far off that it saves nothing
  const std::vector<Index> rows =
      sample_rows(*problem.x, options.seed, kRowsPerColumn, [&](Index i) { return problem.C[i] != 0; });
  if (rows.empty()) return {};
  const std::unique_ptr<Matrix> sample = problem.x->take(rows, context.cap_bytes);
  if (sample == nullptr) return {};
  MulticlassProblem part;
  part.x = part.exact_x = sample.get();
  part.classes = problem.classes;
  for (const Index i : rows) {
    part.class_of.push_back(problem.class_of[i]);
    part.C.push_back(static_cast<double>(kSampleShare) * problem.C[i]);
  }
  constexpr double kLoose = 10.0;  // factor of the tolerance
  SolveOptions loose = options;
  loose.tol = kLoose * options.tol;
  loose.polish = 0.0;
  LinearProblemReport unused;
  std::vector<double> w = solve_multiclass_lagrangian(part, loose, context, unused).w;
  const bool finite = std::all_of(w.begin(), w.end(), [](double v) { return std::isfinite(v); });
  return finite ? w : std::vector<double>{};
}

}  // namespace

Solution solve_multiclass_lagrangian(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context,
                                     LinearProblemReport& report) {
  const std::vector<double> start = sample_solution(problem, options, context);
  MulticlassLagrangian solver(problem, options, context);
  if (!start.empty()) solver.start(start);
  return solver.run(report);
}

}  // namespace dcsvm::linear_fit
