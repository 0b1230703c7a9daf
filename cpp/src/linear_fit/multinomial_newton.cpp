// The multinomial model by truncated Newton steps on the weights of all classes together.
// [1] Lin, Weng, Keerthi: Trust region Newton method for large-scale logistic regression (JMLR 9, 2008).
// [2] Galli, Lin: A study on truncated Newton methods for linear classification (IEEE TNNLS 33, 2022).
//
// A product with the Hessian is one pass over X for all classes, and so is the objective together with its gradient: the full
// step is nearly always taken, and a pass that only knew the scores along the step would be one more.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/block_sums.hpp"
#include "base/table_cap.hpp"
#include "linear_fit/multinomial.hpp"
#include "linear_fit/multinomial_preconditioner.hpp"
#include "linear_fit/multinomial_report.hpp"
#include "linear_fit/multinomial_rows.hpp"
#include "linear_fit/softmax_row.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/conjugate_gradients.hpp"
#include "optimise/line_search.hpp"

namespace dcsvm::linear_fit {

namespace {

class MultinomialNewton {
 public:
  MultinomialNewton(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem),
        options_(options),
        pool_(*context.pool),
        limits_("newton", kMostSteps, options, context),
        rows_(problem),
        width_(rows_.width()),
        size_(rows_.size()),
        m_(problem, width_) {
    const auto n = static_cast<double>(p_.rows());
    base::check_tables(sizeof(double) * kHeldVectors * static_cast<double>(size_) + rows_.bytes() +
                           MultinomialPreconditioner::bytes(p_.cols(), width_) +
                           2 * sizeof(float) * n * static_cast<double>(width_),
                       context.cap_bytes, "the probabilities and weights of " + std::to_string(p_.classes) + " classes");
    most_C_ = p_.C.empty() ? 0.0 : *std::max_element(p_.C.begin(), p_.C.end());
    for (Point* at : {&now_, &next_}) {
      at->w.assign(static_cast<std::size_t>(size_), 0.0);
      at->g.assign(static_cast<std::size_t>(size_), 0.0);
      at->p = base::Buffer<float>(p_.rows() * width_, 0.0F);
    }
  }

  Solution run(LinearProblemReport& report) {
    start();
    while (!ends() && step()) {
    }
    solution_.w = rows_.narrowed(now_.w);
    center_free_weights(p_, solution_.w);
    report_multinomial(p_, state_, solution_, report);
    return std::move(solution_);
  }

 private:
  struct Point {
    std::vector<double> w, g;
    base::Buffer<float> p;  // the probabilities, rows x width
    double objective = 0, norm = 0;
    double centred = 0;  // the norm of the gradient in columns less their means
  };

  /// As ConjugateGradients takes them.
  struct Sums {
    base::ThreadPool& pool;
    Index size;
    double dot(const std::vector<double>& a, const std::vector<double>& b) const {
      return base::sum_blocks(size, products::kEntryPiece, pool, [&](Index begin, Index end) {
        using products::kSums;  // vectors are multiples of 4 long
        double sum[kSums] = {};
        for (Index t = begin; t < end; t += kSums) {
          for (Index k = 0; k < kSums; ++k) sum[k] += a[t + k] * b[t + k];
        }
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
      });
    }
    template <class Fn>
    void each(const Fn& fn) const {
      pool.for_range(size, products::kEntryPiece, [&](Index begin, Index end, int) {
        for (Index t = begin; t < end; ++t) fn(t);
      });
    }
  };
  Sums sums() const { return {pool_, size_}; }

  /// Objective, gradient and probabilities at point.w.
  void evaluate(Point& point) {
    const double losses = rows_.evaluate(point.w, point.g, point.p, pool_);
    const Index regularized = p_.penalized_cols() * width_;
    const double norm2 = base::sum_blocks(regularized, products::kEntryPiece, pool_, [&](Index begin, Index end) {
      double sum = 0;
      for (Index t = begin; t < end; ++t) {
        sum += point.w[t] * point.w[t];
        point.g[t] += point.w[t];
      }
      return sum;
    });
    point.objective = 0.5 * norm2 + losses;
    point.norm = std::sqrt(sums().dot(point.g, point.g));
    point.centred = centred_norm(point.g);
  }

  /// A free bias makes a number that is added to a column a change of variables. 1/2 |gradient|^2 stands for the gap; in columns
  /// far from 0 it may be small far from the optimum, because the bias could still make up for what weights gain.
  double centred_norm(const std::vector<double>& g) {
    if (!p_.has_free_bias()) return std::sqrt(sums().dot(g, g));
    const Index bias = (p_.cols() - 1) * width_;
    if (means_.empty()) {
      means_.assign(static_cast<std::size_t>(p_.cols()), 0.0);
      p_.exact_x->transposed(p_.C.data(), means_.data(), pool_);
      const double all = means_.back();  // of the bias's column: sum of C times what it holds
      for (double& mean : means_) mean = all > 0 ? mean / all : 0.0;
      means_.back() = 0.0;
    }
    return std::sqrt(base::sum_blocks(p_.cols(), products::kLinePiece, pool_, [&](Index begin, Index end) {
      double sum = 0;
      for (Index j = begin; j < end; ++j) {
        for (Index m = 0; m < p_.classes; ++m) {
          const double own = g[j * width_ + m] - means_[j] * g[bias + m];
          sum += own * own;
        }
      }
      return sum;
    }));
  }

  /// What rounding may leave of a gradient that is 0, as that of columns that are constant is with the best biases.
  double rounding() const {
    if (!p_.exact_x->rows_in_memory()) return 0.0;
    constexpr double kRoundings = 8.0 * std::numeric_limits<double>::epsilon();  // of a term: as in is_rounding(), in each class
    return kRoundings * base::sum_blocks(p_.rows(), products::kRowPiece, pool_, [&](Index begin, Index end) {
             double sum = 0;
             for (Index i = begin; i < end; ++i) sum += p_.C[i] * std::sqrt(p_.exact_x->norm2(i));
             return sum;
           });
  }

  void start() {
    state_.begin(p_, now_.w, width_);
    evaluate(now_);
    state_.zero_gradient_norm = p_.penalty.none() ? std::max(now_.centred, rounding() / options_.tol) : now_.norm;
    if (options_.start != nullptr) {
      rows_.widen(*options_.start, now_.w);
      evaluate(now_);
    }
    solution_.initial_objective = now_.objective;
    solution_.initial_gradient_norm = now_.norm;
  }

  bool cancelled() { return limits_.cancelled(solution_, now_.objective, p_.rows()); }

  bool ends() {
    state_.objective = now_.objective;
    state_.gradient_norm = now_.norm;
    state_.centred_norm = now_.centred;
    if (p_.penalty.none()) state_.free_norm = free_norm(p_, now_.g, width_);
    const double longer = std::max(now_.norm, now_.centred);
    state_.gap = 0.5 * longer * longer;
    return multinomial_ends(p_, state_, options_, limits_, solution_);
  }

  /// image = H direction.
  void multiply() {
    double none = 0;
    const double C = most_C_ > 0 ? most_C_ : 1.0;
    const auto use = [&](Index i, auto* u, double&) {
      using W = std::remove_reference_t<decltype(*u)>;
      if (p_.C[i] == 0) return false;
      softmax_curvature<W>(u, p_.classes, p_.class_of[i], static_cast<W>(p_.C[i] / C), now_.p.data() + i * width_);
      return true;
    };
    double* image = cg_.image.data();
    const double* direction = cg_.direction.data();
    in_float_ = in_float_ && rows_.pass().run<float>(*p_.x, direction, image, pool_, none, use);
    if (!in_float_) rows_.pass().run<double>(*p_.x, direction, image, pool_, none, use);
    const Index regularized = p_.penalized_cols() * width_;
    sums().each([&](Index t) { image[t] = C * image[t] + (t < regularized ? direction[t] : 0.0); });
    ++solution_.n_inner;
  }

  /// cg_.solution = -H^-1 g, nearly. Each step of conjugate gradients gains less than the one before it: it ends where what the
  /// rest may gain is a small share.
  void solve() {
    m_.set(now_.p, pool_);
    std::vector<double> b(now_.g.size());
    for (std::size_t t = 0; t < b.size(); ++t) b[t] = -now_.g[t];
    cg_.begin(std::move(b), sums());
    const double accuracy = multinomial_accuracy(state_);
    double model = 0;
    while (cg_.steps < kMostSteps) {
      m_.solve(cg_.residual, cg_.preconditioned, pool_);
      if (cg_.turn(sums()) <= multinomial::kSolved * cg_.first_square) return;
      multiply();
      if (!(cg_.advance(sums()) > 0)) return;
      model += cg_.gain;
      if (static_cast<double>(cg_.steps) * cg_.gain <= accuracy * model || cancelled()) return;
    }
  }

  /// False: rounding allows no more.
  bool step() {
    solve();
    ++solution_.n_iter;
    const double along = sums().dot(now_.g, cg_.solution);
    const bool rounded = !(-along > kRounding * std::abs(now_.objective));
    const auto change = [&](double t) {
      sums().each([&](Index j) { next_.w[j] = now_.w[j] + t * cg_.solution[j]; });
      evaluate(next_);
      return next_.objective - now_.objective;
    };
    if (multinomial_step(change, along, rounded, [&] { return next_.norm < 0.5 * now_.norm; }) == 0) {
      solution_.stop_reason = StopReason::stagnated;
      return false;
    }
    std::swap(now_, next_);
    return true;
  }

  const MultinomialProblem& p_;
  const SolveOptions& options_;
  base::ThreadPool& pool_;
  Limits limits_;
  MultinomialRows rows_;
  Index width_, size_;
  MultinomialPreconditioner m_;
  double most_C_ = 0;
  bool in_float_ = true;  // as far as is known, products stay in its range
  Point now_, next_;
  std::vector<double> means_;  // of the columns, by C; empty: not yet needed
  optimise::ConjugateGradients<> cg_;
  MultinomialState state_;
  Solution solution_;
};

}  // namespace

void center_free_weights(const MultinomialProblem& problem, std::vector<double>& w) {
  const Index k = problem.classes;
  for (Index j = problem.penalized_cols(); j < problem.cols(); ++j) {
    double sum = 0;
    for (Index m = 0; m < k; ++m) sum += w[j * k + m];
    for (Index m = 0; m < k; ++m) w[j * k + m] -= sum / static_cast<double>(k);
  }
}

Solution solve_multinomial(const MultinomialProblem& problem, const SolveOptions& options, base::Context& context,
                           LinearProblemReport& report) {
  return MultinomialNewton(problem, options, context).run(report);
}

}  // namespace dcsvm::linear_fit
