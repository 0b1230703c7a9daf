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

#include "base/block_sums.hpp"
#include "linear_fit/multiclass.hpp"
#include "linear_fit/sample_start.hpp"
#include "linear_fit/sampled_hessian.hpp"
#include "linear_fit/simplex.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/conjugate_gradients.hpp"
#include "optimise/line_search.hpp"
#include "products/pieces.hpp"
#include "products/several_vectors.hpp"
#include "simd/ops.hpp"

namespace dcsvm::linear_fit {

namespace {

class MulticlassLagrangian {
 public:
  MulticlassLagrangian(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem),
        x_(problem.exact_x),
        options_(options),
        limits_("augmented_lagrangian", kNoLimit, options, context),
        pool_(*context.pool),
        n_(problem.x->rows()),
        d_(problem.x->cols()),
        k_(problem.classes),
        hessian_(*problem.x, 1, true) {
    for (auto* v : {&z_, &zs_, &a_, &shift_}) v->assign(n_ * k_, 0.0);
    for (auto* v : {&w_, &g_}) v->assign(d_ * k_, 0.0);
    free_.assign(n_, 0);
    solution_.w.resize(w_.size());
    solution_.alpha.resize(a_.size());
    solution_.limit = options.tol;
  }

  /// From the solution of a sample of the rows: w, column by column.
  void start(const std::vector<double>& w) {
    for (Index j = 0; j < d_; ++j) {
      for (Index m = 0; m < k_; ++m) w_[m * d_ + j] = w[j * k_ + m];
    }
    products::row_products(*x_, lanes(std::as_const(w_)), lanes(z_), pool_);
  }

  Solution run() {
    const double largest = *std::max_element(p_.C.begin(), p_.C.end());
    // Where C is so small beside 1 / |x_i|^2 that the w_m stay near 0, sigma must be as large as that to matter.
    double norms = 0, rows = 0;
    for (Index i = 0; i < n_; ++i) {
      if (p_.C[i] == 0) continue;
      norms += x_->norm2(i);
      ++rows;
    }
    const double unit = std::max(largest, norms > 0 ? rows / norms : 0.0), most_sigma = kMostSigma * unit;
    sigma_ = kFirstSigma * (unit > 0 ? unit : 1.0);
    double inner = kInfinity;
    for (int round = 1;; ++round) {
      minimise(inner);
      const bool reached = certify();
      if (solution_.stop_reason == StopReason::cancelled) break;
      const bool limited =
          !std::isfinite(quality_.gap) || sigma_ >= most_sigma || solution_.n_iter >= limits_.steps() || round == kMostRounds;
      if (!reached && limited) solution_.stop_reason = StopReason::max_iter;
      if (reached || limited) break;
      shift_ = a_;
      inner = std::min(inner, kInnerPart * quality_.gap);
      sigma_ = std::min(sigma_ * kGrowth, most_sigma);
    }
    return std::move(solution_);
  }

 private:
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();  // rounds are limited
  static constexpr double kFirstSigma = 0.5;  // of 1 / C: at w = 0 all rows are in the curved part
  static constexpr double kGrowth = 1.5;  // of sigma: more needs fewer rounds and longer ones
  static constexpr double kInnerPart = 0.5;  // of the gap, for the next inner problem
  static constexpr double kAccuracy = 0.3;  // of a step: the residual's norm
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

  /// term(i) summed over the rows.
  template <class Term>
  double over_rows(const Term& term) const {
    return base::sum_blocks(n_, products::kRowPiece, pool_, [&](Index begin, Index end) {
      double sum = 0;
      for (Index i = begin; i < end; ++i) sum += term(i);
      return sum;
    });
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

  bool cancelled() { return limits_.cancelled(solution_, f_, n_ - std::count(free_.begin(), free_.end(), Mask{0})); }

  /// Newton's steps until the inner problem's gap is `limit`; infinity: a share of its objective, and of what is achieved.
  void minimise(double limit) {
    evaluate();
    for (Index steps = 0;; ++steps) {
      gradient();
      const double gap = 0.5 * product(g_, g_);
      const double enough = limit < kInfinity ? limit : kInnerPart * std::min(std::abs(f_), decrease());
      if (!(gap > enough) || steps == kMostRounds) return;
      if (solution_.n_iter >= limits_.steps()) return;
      if (cancelled()) return;
      direction();
      const bool moved = move();
      ++solution_.n_iter;
      evaluate();
      if (!moved) return gradient();
    }
  }

  void precondition() {
    cg_.preconditioned = cg_.residual;
    if (!hessian_.factored()) return;  // the range of double
    constexpr Index kTogether = 4;  // classes of one piece of parallel work
    pool_.for_each((k_ + kTogether - 1) / kTogether, [&](Index part, int) {
      hessian_.solve(cg_.preconditioned.data() + part * kTogether * d_, std::min(kTogether, k_ - part * kTogether));
    });
  }

  /// s = -H^-1 g, about.
  void direction() {
    coupled_.clear();
    std::vector<double> curvature(n_, 0.0);
    for (Index i = 0; i < n_; ++i) {
      if (free_[i] == 0) continue;
      coupled_.push_back({i, free_[i]});
      curvature[i] = sigma_ * static_cast<double>(count(free_[i]) - 1) / static_cast<double>(k_ - 1);
    }
    hessian_.update(curvature, std::vector<double>(d_, 1.0), nullptr, scratch_, pool_);
    std::vector<double> minus_g(g_);
    for (double& v : minus_g) v = -v;
    cg_.begin(std::move(minus_g), InOrder{g_.size()});
    precondition();
    const double enough = kAccuracy * kAccuracy * cg_.turn(InOrder{g_.size()});
    for (Index products = 0; products < kMostSteps; ++products) {
      coupled_products(*x_, coupled_, sigma_, lanes(std::as_const(cg_.direction)), lanes(cg_.image), pool_);
      for (std::size_t j = 0; j < g_.size(); ++j) cg_.image[j] += cg_.direction[j];
      ++solution_.n_inner;
      if (!(cg_.advance(InOrder{g_.size()}) > 0)) return;
      precondition();
      if (!(cg_.turn(InOrder{g_.size()}) > enough) || cancelled()) return;
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

  /// Whether the certificate confirms w and a.
  bool certify() {
    for (Index j = 0; j < d_; ++j) {
      for (Index m = 0; m < k_; ++m) solution_.w[j * k_ + m] = w_[m * d_ + j];
    }
    for (Index i = 0; i < n_; ++i) {
      for (Index m = 0; m < k_; ++m) solution_.alpha[i * k_ + m] = a_[m * n_ + i];
    }
    const Certificate found = certificate(p_, solution_, pool_);
    quality_ = found.quality;
    solution_.violation = found.report.violation;
    return found.confirms;
  }

  const MulticlassProblem& p_;
  const Matrix* x_;
  const SolveOptions& options_;
  Limits limits_;
  base::ThreadPool& pool_;
  Index n_, d_, k_;
  double sigma_ = 1.0, f_ = 0.0;
  SampledHessian hessian_;
  products::TileRows scratch_;
  std::vector<double> z_, zs_, a_, shift_;  // n for each class: Xw, Xs, the dual variables, those of the round before
  std::vector<Mask> free_;  // classes below their bound of each row, where they are two or more
  std::vector<products::CoupledRow> coupled_;
  std::vector<double> w_, g_;  // d for each class
  optimise::ConjugateGradients<> cg_;  // likewise; its solution is the step s
  Quality quality_;  // as the last certificate found it
  Solution solution_;
};

/// The solution of an eighth of the rows, each with eight times its C, which starts on a sample of its own; empty: rows are too
/// few.
std::vector<double> sample_solution(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context) {
  const std::vector<Index> rows = sample_rows(*problem.x, options.seed, [&](Index i) { return problem.C[i] != 0; });
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
  std::vector<double> w = solve_multiclass_lagrangian(part, loosened(options), context).w;
  const bool finite = std::all_of(w.begin(), w.end(), [](double v) { return std::isfinite(v); });
  return finite ? w : std::vector<double>{};
}

}  // namespace

Solution solve_multiclass_lagrangian(const MulticlassProblem& problem, const SolveOptions& options, base::Context& context) {
  const std::vector<double> start = sample_solution(problem, options, context);
  MulticlassLagrangian solver(problem, options, context);
  if (!start.empty()) solver.start(start);
  return solver.run();
}

}  // namespace dcsvm::linear_fit
