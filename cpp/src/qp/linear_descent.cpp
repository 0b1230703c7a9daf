#include "qp/linear_descent.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "base/vectors.hpp"
#include "optimise/conjugate_gradients.hpp"
#include "qp/outcome.hpp"
#include "qp/timer.hpp"

namespace dcsvm::qp {

namespace {

constexpr double kNever = HUGE_VAL;
constexpr double kSolved = 0.45;        // of tol: the largest gradient, whose double bounds the violation
constexpr double kMargin = 0.95;        // of tol: the violation at the end, before the sums are restored
constexpr double kExcess = 0.02;        // of tol: what the excess of a sum may add to a gradient
constexpr double kNoStep = 1e-12;       // gradients below this, and below kNoStepOfTol of tol, move nothing
constexpr double kNoStepOfTol = 2e-9;
constexpr double kRounding = 1e-9;       // of an excess: a rest that is no reason to move a variable off its bound
constexpr double kLeastCurvature = 1e-12;          // least curvature of a step: of the largest K(x, x) where that is below 1
constexpr Index kPollRows = 4096;      // rows
constexpr int kFirstFace = 8, kEveryFace = 4;  // passes before the first conjugate gradients, and between them
constexpr int kFaceSteps = 20;
constexpr double kFaceReduction = 1e-4;  // of the squared residual
constexpr int kHalvings = 6;
constexpr double kMostPasses = 400.0;   // over all rows, of the rows that are read

using Sums = std::array<double, 2>;  // by group

class LinearDescent {
 public:
  LinearDescent(const kernel_matrix::LinearRows& rows, const std::vector<double>& diagonal, const Problem& problem,
                const Options& options, double* beta, base::Context& context, const Progress& progress)
      : rows_(rows),
        diagonal_(diagonal),
        problem_(problem),
        options_(options),
        beta_(beta),
        context_(context),
        progress_(progress) {
    const auto n = static_cast<std::size_t>(problem.n);
    for (Index i = 0; i < problem.n; ++i) {
      if (problem.lo[i] < problem.hi[i]) all_.push_back(i);
    }
    active_ = all_;
    const double mean = std::accumulate(diagonal.begin(), diagonal.end(), 0.0) / static_cast<double>(std::max<std::size_t>(1, n));
    largest_ = diagonal.empty() ? 0.0 : *std::max_element(diagonal.begin(), diagonal.end());
    no_step_ = std::min(kNoStep, kNoStepOfTol * options.tol);
    if (largest_ > 0) least_curvature_ *= std::min(largest_, 1.0);
    sigma_ = problem.equality && mean > 0 ? mean : problem.equality ? 1.0 : 0.0;
    load_start();
  }

  void run(Result& result) {
    double limit = kNever;  // variables at a bound with a larger gradient leave the active set
    int until_face = kFirstFace;
    while (!active_.empty() && work_ < kMostPasses * static_cast<double>(problem_.n)) {
      const bool everything = active_.size() == all_.size();
      const double largest = pass(options_.shrinking ? limit : kNever);
      if (stopped(largest)) break;
      const bool balanced = update_multipliers();
      if (largest < kSolved * options_.tol && balanced) {
        if (everything && violation() < kMargin * options_.tol) break;
        active_ = all_;
        limit = kNever;
        continue;
      }
      limit = largest > 0 ? largest : kNever;
      if (--until_face > 0) continue;
      solve_face();
      until_face = kEveryFace;
    }
    restore_sums();
    result.n_iter += steps_;
  }

 private:
  std::size_t group_of(Index i) const { return problem_.group_of(i); }
  double gradient(Index i) const { return problem_.q[i] - threshold_[group_of(i)] - rows_.dot(i, w_.data()); }

  /// The weights of the start, and multipliers in the middle of its gradients.
  void load_start() {
    everyone_ = base::index_range(problem_.n);
    w_ = rows_.weights(everyone_.data(), beta_, problem_.n);
    const GroupBounds bounds = all_bounds();
    if (bounds.violation(problem_.equality) < options_.tol) active_.clear();
    for (std::size_t c = 0; c < 2 && problem_.equality; ++c) {
      const double middle = 0.5 * (bounds.of[c].up + bounds.of[c].low);
      if (std::isfinite(middle)) lambda_[c] = threshold_[c] = middle;
    }
  }

  /// Of the gradients of all variables.
  GroupBounds all_bounds() {
    std::vector<double> minus(w_.size()), g(problem_.q, problem_.q + problem_.n);
    std::transform(w_.begin(), w_.end(), minus.begin(), [](double v) { return -v; });
    if (std::any_of(w_.begin(), w_.end(), [](double v) { return v != 0.0; }))
      rows_.products(minus.data(), everyone_.data(), problem_.n, g.data(), *context_.pool);
    return bounds_of(problem_, beta_, g.data());
  }
  double violation() { return all_bounds().violation(problem_.equality); }

  /// One step of each active variable in random order. Returns the largest gradient that still pointed into the box.
  double pass(double limit) {
    base::shuffle(active_, random_);
    double largest = 0;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      if (k + 1 < active_.size()) rows_.prefetch(active_[k + 1]);
      if (k % kPollRows == 0) context_.pool->poll();
      const Index i = active_[k];
      const double b = beta_[i], g = gradient(i);
      const bool at_low = b <= problem_.lo[i], at_high = b >= problem_.hi[i];
      if ((at_low && g < -limit) || (at_high && g > limit)) continue;
      active_[kept++] = i;
      const double inward = at_low ? std::max(g, 0.0) : at_high ? std::min(g, 0.0) : g;
      largest = std::max(largest, std::abs(inward));
      if (std::abs(inward) <= no_step_) continue;
      move(i, std::clamp(b + g / std::max(least_curvature_, diagonal_[i] + sigma_), problem_.lo[i], problem_.hi[i]));
    }
    work_ += static_cast<double>(active_.size());
    active_.resize(kept);
    return largest;
  }

  void move(Index i, double to) {
    const double change = to - beta_[i];
    if (change == 0.0) return;
    beta_[i] = to;
    rows_.add(i, change, w_.data());
    add_excess(group_of(i), change);
    ++steps_;
  }

  void add_excess(std::size_t c, double change) {
    excess_[c] += change;
    threshold_[c] = lambda_[c] + sigma_ * excess_[c];
  }

  /// The multipliers after a pass. True: the sums are near enough to what they must be.
  bool update_multipliers() {
    bool balanced = true;
    for (std::size_t c = 0; c < 2; ++c) {
      lambda_[c] += sigma_ * excess_[c];
      threshold_[c] = lambda_[c] + sigma_ * excess_[c];
      balanced = balanced && std::abs(excess_[c]) * largest_ <= kExcess * options_.tol;
    }
    return balanced || !problem_.equality;
  }

  bool stopped(double largest) {
    if (options_.max_iter >= 0 && steps_ >= options_.max_iter) return true;
    if (context_.monitor == nullptr) return false;
    if (!context_.monitor->due()) return context_.monitor->cancelled();
    progress_.n_iter = steps_;
    progress_.violation = 2.0 * largest;
    progress_.active = static_cast<Index>(active_.size());
    progress_.n_support = problem_.n - std::count(beta_, beta_ + problem_.n, 0.0);
    return context_.monitor->progress(progress_, true);
  }

  /// The Newton step of the free variables by conjugate gradients, preconditioned with the diagonal, and as much of it as makes f
  /// smaller in the box.
  void solve_face() {
    free_.clear();
    for (const Index i : active_) {
      if (beta_[i] > problem_.lo[i] && beta_[i] < problem_.hi[i]) free_.push_back(i);
    }
    if (free_.empty()) return;
    std::sort(free_.begin(), free_.end());
    const std::size_t m = free_.size();
    start_.resize(m);
    for (std::size_t j = 0; j < m; ++j) start_[j] = gradient(free_[j]);
    step_ = newton_step();
    std::vector<double> change(m), weights;
    double part = 1.0;
    for (int halving = 0; halving <= kHalvings; ++halving, part *= 0.5) {
      if (clipped(part, change, weights) <= 0) continue;
      for (std::size_t j = 0; j < m; ++j) {
        const Index i = free_[j];
        beta_[i] = std::clamp(beta_[i] + part * step_[j], problem_.lo[i], problem_.hi[i]);
        add_excess(group_of(i), change[j]);
      }
      for (std::size_t k = 0; k < w_.size(); ++k) w_[k] += weights[k];
      steps_ += static_cast<std::int64_t>(m);
      return;
    }
  }

  /// What `part` of the step, kept in the box, adds to -f; and the change of the variables and of the weights.
  double clipped(double part, std::vector<double>& change, std::vector<double>& weights) {
    double linear = 0, square = 0;
    Sums sums{};
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const Index i = free_[j];
      change[j] = std::clamp(beta_[i] + part * step_[j], problem_.lo[i], problem_.hi[i]) - beta_[i];
      linear += start_[j] * change[j];
      sums[group_of(i)] += change[j];
    }
    weights = product(change);
    for (const double v : weights) square += v * v;
    return linear - 0.5 * square - 0.5 * sigma_ * (sums[0] * sums[0] + sums[1] * sums[1]);
  }

  std::vector<double> product(const std::vector<double>& coef) {
    work_ += static_cast<double>(coef.size());
    return rows_.weights(free_.data(), coef.data(), static_cast<Index>(coef.size()));
  }

  /// Sums over the free variables, one after another.
  struct InOrder {
    std::size_t size;
    static double dot(const std::vector<double>& a, const std::vector<double>& b) {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    }
    template <class Fn>
    void each(const Fn& fn) const {
      for (std::size_t j = 0; j < size; ++j) fn(j);
    }
  };

  /// Roughly H^-1 start_, H = K + sigma e e' of the free variables of each group.
  std::vector<double> newton_step() {
    const InOrder sums{free_.size()};
    optimise::ConjugateGradients<> cg;
    const auto turn = [&] {
      sums.each([&](std::size_t j) {
        cg.preconditioned[j] = cg.residual[j] / std::max(least_curvature_, diagonal_[free_[j]] + sigma_);
      });
      return cg.turn(sums);
    };
    cg.begin(start_, sums);
    const double enough = kFaceReduction * turn();
    while (cg.steps < kFaceSteps && cg.square > enough) {
      context_.pool->poll();
      multiply(cg.direction, cg.image);
      const double least = kLeastCurvature * largest_ * InOrder::dot(cg.direction, cg.direction);
      if (!(cg.advance(sums, least) > least)) return cg.steps == 0 ? cg.direction : cg.solution;
      turn();
    }
    return cg.solution;
  }

  void multiply(const std::vector<double>& direction, std::vector<double>& image) {
    const std::vector<double> weights = product(direction);
    Sums sums{};
    for (std::size_t j = 0; j < direction.size(); ++j) sums[group_of(free_[j])] += direction[j];
    for (std::size_t j = 0; j < direction.size(); ++j) image[j] = sigma_ * sums[group_of(free_[j])];
    rows_.products(weights.data(), free_.data(), static_cast<Index>(free_.size()), image.data(), *context_.pool);
    work_ += static_cast<double>(free_.size());
  }

  /// Takes the excess back from the variables that have room, first in equal parts from the free ones.
  void restore_sums() {
    if (!problem_.equality) return;
    for (std::size_t c = 0; c < 2; ++c) {
      std::vector<Index> of_group, free;
      for (const Index i : all_) {
        if (group_of(i) != c) continue;
        of_group.push_back(i);
        if (beta_[i] > problem_.lo[i] && beta_[i] < problem_.hi[i]) free.push_back(i);
      }
      double left = excess_[c];
      for (std::size_t k = 0; k < free.size(); ++k) left -= take(free[k], left / static_cast<double>(free.size() - k));
      for (std::size_t k = 0; k < of_group.size() && std::abs(left) > kRounding * std::abs(excess_[c]); ++k)
        left -= take(of_group[k], left);
    }
  }

  /// Lowers beta by up to `amount` (raises it by -amount); returns how much.
  double take(Index i, double amount) {
    const double before = beta_[i];
    beta_[i] = std::clamp(before - amount, problem_.lo[i], problem_.hi[i]);
    return before - beta_[i];
  }

  const kernel_matrix::LinearRows& rows_;
  const std::vector<double>& diagonal_;
  const Problem& problem_;
  const Options& options_;
  double* beta_;
  base::Context& context_;
  Progress progress_;
  base::Random random_{0};
  double sigma_ = 0, largest_ = 0;
  double least_curvature_ = kLeastCurvature, no_step_ = kNoStep;
  Sums lambda_{}, excess_{}, threshold_{};
  std::vector<double> w_;
  std::vector<Index> everyone_, all_, active_;  // variables that can move, and those that a pass visits
  std::vector<Index> free_;
  std::vector<double> start_, step_;  // of the free variables: gradient, and Newton step
  double work_ = 0;  // rows read
  std::int64_t steps_ = 0;
};

}  // namespace

void descend(const kernel_matrix::LinearRows& rows, const std::vector<double>& diagonal, const Problem& problem,
             const Options& options, double* beta, base::Context& context, const Progress& progress, Result& result) {
  const Timer timer(result.seconds_inner);
  LinearDescent(rows, diagonal, problem, options, beta, context, progress).run(result);
}

}  // namespace dcsvm::qp
