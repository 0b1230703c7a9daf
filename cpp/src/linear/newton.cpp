// Truncated Newton with a line search for the smooth losses and 1/2 |w|^2.
// [1] Lin, Weng, Keerthi: Trust region Newton method for large-scale logistic regression (JMLR 9, 2008).
// [2] Hsia, Chiang, Lin: Preconditioned conjugate gradient methods in truncated Newton frameworks (ACML 2018).
// [3] Galli, Lin: A study on truncated Newton methods for linear classification (IEEE TNNLS 33, 2022).
//
// Each step solves H s = -g, H = I + X' D X, by conjugate gradients to the accuracy of [3], preconditioned as preconditioner.hpp
// says; then a backtracking line search, whose function values cost O(n) because Xw and Xs are kept. With few columns H itself is
// factored, and the end is reached in a few steps of full accuracy.
//
// With alpha_i = -slope_i, sum alpha_i x_i = w - g, and the gap between w and alpha is 1/2 |g|^2.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/combination.hpp"
#include "linear/preconditioner.hpp"
#include "linear/problem.hpp"
#include "simd/ops.hpp"

namespace dcsvm::linear {

namespace {

constexpr std::int64_t kMaxNewtonSteps = 1000;
constexpr double kFlat = 0.1;  // share of the first derivative at which a nearly exact search ends
constexpr double kArmijo = 0.01;
constexpr int kMaxHalvings = 20;
constexpr double kRounding = 1e-11;  // relative: a change of the objective that its sum over the rows may hide
constexpr double kNear = 1e-6;  // few columns: a gap, as a share of the objective, below which no step is added
constexpr double kLeastDecrease = 1e-12;  // relative: rounding allows no more
constexpr std::size_t kPathPoints = 3;  // solutions for other C of which a start is made
// Shares of the tolerance that must be met from there, because LIBLINEAR's last step, from a worse start, ends well below the
// tolerance; where the last point met the tolerance already, LIBLINEAR's own may just have missed it.
constexpr double kPathPart = 0.15;
constexpr double kPathPartStayed = 0.25;

class Newton {
 public:
  Newton(const Problem& problem, const SolveOptions& options, base::Context& context)
      : p_(problem),
        options_(options),
        context_(context),
        pool_(*context.pool),
        n_(p_.rows()),
        d_(p_.cols()),
        careful_(few_columns(*p_.x)),
        m_(problem, options.path != nullptr ? &options.path->squares : nullptr) {
    solution_.w.assign(d_, 0.0);
    for (auto* v : {&z_, &slope_, &curvature_, &zs_}) v->assign(n_, 0.0);
    g_.assign(d_, 0.0);
  }

  Solution run() {
    double target = start();
    const std::int64_t limit = options_.max_iter > 0 ? options_.max_iter : kMaxNewtonSteps;
    if (on_path()) {
      options_.path->stayed = norm(g_) <= target;
      if (norm(g_) > 0) {
        combine();
        target *= options_.path->stayed ? kPathPartStayed : kPathPart;
      }
    }
    solve(target, limit);
    if (options_.path != nullptr) leave();
    return std::move(solution_);
  }

 private:
  bool on_path() const { return options_.path != nullptr && !options_.path->points.empty(); }

  /// w, its objective and gradient; the initial values of the report. Returns the limit of the gradient.
  double start() {
    double f = 0;
    if (on_path()) {
      Path& path = *options_.path;
      const double ratio = options_.C / path.C;
      for (auto* v : {&path.squares.curvature, &path.squares.sums}) {
        for (double& one : *v) one *= ratio;
      }
      zero_gradient_ = ratio * path.zero_gradient;
      solution_.w = path.points.back().w;
      z_ = path.points.back().z;
      evaluate();
      for (Index j = 0; j < d_; ++j) g_[j] = ratio * path.gradient[j] + (p_.regularized(j) ? solution_.w[j] : 0.0);
    } else {
      evaluate();
      gradient();
      zero_gradient_ = norm(g_);
      f = f_;
      if (options_.start != nullptr) {
        solution_.w = *options_.start;
        p_.x->product(solution_.w.data(), z_.data(), pool_);
        evaluate();
        gradient();
      }
    }
    const double target = options_.tol * class_balance(p_) * zero_gradient_;
    const bool by_gap = options_.relative_gap > 0, warm = is_warm();
    solution_.rule = by_gap ? Rule::gradient_gap : Rule::gradient;
    solution_.limit = by_gap ? options_.relative_gap : target;
    if (options_.start_is_own) gains_.add(kInfinity);
    solution_.initial_objective = warm ? f_ : f;
    solution_.initial_gradient_norm = warm ? norm(g_) : zero_gradient_;
    return target;
  }

  /// Starts from the best combination of the path's points.
  void combine() {
    const std::vector<SolvedPoint>& points = options_.path->points;
    const std::vector<double> c = best_combination(p_, points, pool_);
    std::fill(solution_.w.begin(), solution_.w.end(), 0.0);
    std::fill(z_.begin(), z_.end(), 0.0);
    for (std::size_t k = 0; k < points.size(); ++k) {
      for (Index j = 0; j < d_; ++j) solution_.w[j] += c[k] * points[k].w[j];
      for (Index i = 0; i < n_; ++i) z_[i] += c[k] * points[k].z[i];
    }
    evaluate();
    gradient();
  }

  /// Adds the solution to the path.
  void leave() {
    Path& path = *options_.path;
    path.C = options_.C;
    path.zero_gradient = zero_gradient_;
    path.gradient = g_;
    solution_.objective = f_;
    solution_.rounding = rounding();
    for (Index j = 0; j < d_; ++j) path.gradient[j] -= p_.regularized(j) ? solution_.w[j] : 0.0;
    if (on_path() && solution_.w == path.points.back().w) return;
    if (path.points.size() == kPathPoints) path.points.erase(path.points.begin());
    path.points.push_back({solution_.w, std::move(z_)});
  }

  /// Bound of |g(X) - g(X')|, where X' differs from X by the path's relative rounding: each row's x_i and, through z_i, its slope
  /// differ, the slope by at most the largest curvature of its loss times the change of z_i.
  double rounding() {
    const Path& path = *options_.path;
    p_.derivatives(z_, slope_, curvature_, pool_);
    double slopes = 0, curvatures = 0;
    for (Index i = 0; i < n_; ++i) {
      slopes += std::abs(slope_[i]);
      curvatures += p_.C[i] * most_curved(p_.loss);
    }
    return path.rounding * path.row_norm * (slopes + curvatures * path.row_norm * norm(solution_.w));
  }

  void solve(double target, std::int64_t limit) {
    for (;;) {
      const double before = norm(g_);
      if (finished(before, target)) break;
      if (cancelled(context_, "newton", solution_, f_, n_)) return stop(StopReason::cancelled);
      if (solution_.n_iter >= limit) return stop(StopReason::max_iter);
      direction();
      const bool gained = step();
      ++solution_.n_iter;
      gradient();
      // Near the end the objective's digits say nothing any more, but a step still makes the gradient much smaller.
      if (gained || norm(g_) <= 0.5 * before) continue;
      const double last = norm(g_);
      const bool exhausted = 0.5 * last * last <= kExhausted * std::abs(f_);
      const bool reached = finished(last, target) || (options_.relative_gap == 0 && last <= solution_.limit) || exhausted;
      return stop(reached ? StopReason::converged : StopReason::stagnated);
    }
  }

  /// Whether the gradient's norm ends the solve; notes the violation.
  bool finished(double gradient, double target) {
    solution_.violation = gradient;
    if (gradient == 0) return true;
    if (options_.relative_gap > 0) {
      solution_.violation = 0.5 * gradient * gradient / std::max(std::abs(f_), 1e-300);
      return solution_.violation <= options_.relative_gap;
    }
    // With few columns one more step costs little, and the objective is not left where chance has put it, unless the gap says
    // that it is at the optimum. |g|^2 / 2 bounds the gap only where every weight is regularised.
    const bool near = p_.regularize_bias && 0.5 * gradient * gradient <= kNear * std::abs(f_);
    return gradient <= target && (!careful_ || near || gains_.remaining() <= options_.last_decrease * std::abs(f_) || is_warm());
  }

  bool is_warm() const { return on_path() || (options_.start != nullptr && !options_.start_is_own); }

  void stop(StopReason reason) { solution_.stop_reason = reason; }

  static double norm(const std::vector<double>& v) {
    return std::sqrt(simd::ops<double>().dot(v.data(), v.data(), static_cast<Index>(v.size())));
  }

  double penalty(const std::vector<double>& w) const { return 0.5 * p_.regularized_product(w, w); }

  double losses(double t) const { return p_.losses(z_, t, zs_, pool_); }

  void evaluate() { f_ = penalty(solution_.w) + losses(0.0); }

  void gradient() {
    p_.derivatives(z_, slope_, curvature_, pool_);
    p_.x->transposed(slope_.data(), g_.data(), pool_);
    for (Index j = 0; j < d_; ++j) g_[j] += p_.regularized(j) ? solution_.w[j] : 0.0;
  }

  struct Sums {
    double first = 0, second = 0, third = 0;
    void operator+=(const Sums& s) {
      first += s.first;
      second += s.second;
      third += s.third;
    }
  };
  static constexpr Index kSums = 4;  // hide the latency of an addition
  /// step(j, sums) for all columns, in fixed blocks whose sums are added in order: the same bits for any number of threads.
  template <class Step>
  Sums over_columns(const Step& step) const {
    std::vector<Sums> part((d_ + kColumnPiece - 1) / kColumnPiece);
    pool_.for_range(d_, kColumnPiece, [&](Index begin, Index end, int) {
      Sums own[kSums];
      Index j = begin;
      for (; j + kSums <= end; j += kSums) {
        for (Index k = 0; k < kSums; ++k) step(j + k, own[k]);
      }
      for (; j < end; ++j) step(j, own[0]);
      for (Index k = 1; k < kSums; ++k) own[0] += own[k];
      part[begin / kColumnPiece] = own[0];
    });
    Sums sum;
    for (const Sums& s : part) sum += s;
    return sum;
  }

  /// s_ = -H^-1 g, or approximately.
  void direction() {
    m_.set(curvature_, pool_);
    for (auto* v : {&s_, &r_, &q_, &dir_, &y_}) v->resize(d_);
    for (Index j = 0; j < d_; ++j) r_[j] = -g_[j];
    m_.solve(r_, y_, pool_);
    if (m_.exact()) {
      s_ = y_;
      return;
    }
    dir_ = y_;
    std::fill(s_.begin(), s_.end(), 0.0);
    const auto product_ry = [&] { return over_columns([&](Index j, Sums& sum) { sum.first += r_[j] * y_[j]; }).first; };
    double rz = product_ry();
    const double accuracy = std::min(0.5, std::sqrt(std::sqrt(rz)));
    double model = 0;
    const Index limit = std::max<Index>(d_, 5);
    for (Index k = 1; k <= limit; ++k) {
      pool_.poll();
      p_.x->curvature(curvature_.data(), dir_.data(), q_.data(), pool_);
      ++solution_.n_inner;
      const double curve = over_columns([&](Index j, Sums& sum) {
                             if (p_.regularized(j)) q_[j] += dir_[j];
                             sum.first += dir_[j] * q_[j];
                           }).first;
      if (curve <= 1e-16) break;
      const double a = rz / curve;
      const Sums with_s = over_columns([&](Index j, Sums& sum) {
        s_[j] += a * dir_[j];
        r_[j] -= a * q_[j];
        sum.first += g_[j] * s_[j];
        sum.second += r_[j] * s_[j];
      });
      // The quadratic model at s: g's + 1/2 s'Hs = 1/2 (g's - r's).
      const double now = 0.5 * (with_s.first - with_s.second);
      const double decrease = now - model;
      if (now > 0 || decrease > 0) break;  // rounding
      if (static_cast<double>(k) * decrease >= accuracy * now) break;
      model = now;
      m_.solve(r_, y_, pool_);
      const double next = product_ry(), b = next / rz;
      rz = next;
      over_columns([&](Index j, Sums&) { dir_[j] = y_[j] + b * dir_[j]; });
    }
  }

  /// Moves along s_; false: nothing is gained any more.
  bool step() {
    p_.x->product(s_.data(), zs_.data(), pool_);
    const auto [along, ws, ss] = over_columns([&](Index j, Sums& sum) {
      sum.first += g_[j] * s_[j];
      if (!p_.regularized(j)) return;
      sum.second += solution_.w[j] * s_[j];
      sum.third += s_[j] * s_[j];
    });
    if (-along <= kRounding * std::abs(f_)) {
      gains_.add(0);
      for (Index j = 0; j < d_; ++j) solution_.w[j] += s_[j];
      for (Index i = 0; i < n_; ++i) z_[i] += zs_[i];
      return false;
    }
    const Line line{penalty(solution_.w), ws, ss, along};
    const double t = careful_ ? nearly_exact(line) : backtrack(line);
    if (t == 0) return false;
    for (Index j = 0; j < d_; ++j) solution_.w[j] += t * s_[j];
    for (Index i = 0; i < n_; ++i) z_[i] += t * zs_[i];
    return gains_.last() > kLeastDecrease * std::abs(f_);
  }

  /// The objective along s_: penalty + t ws + t^2 ss / 2 + losses(t), with the derivative `along` at t = 0.
  struct Line {
    double penalty, ws, ss, along;
    double at(double t) const { return penalty + t * ws + 0.5 * t * t * ss; }
  };

  /// Takes f for the new objective when it is low enough.
  bool accept(const Line& line, double t, double f) {
    if (f - f_ > kArmijo * t * line.along) return false;
    gains_.add(f_ - f);
    f_ = f;
    return true;
  }

  double backtrack(const Line& line) {
    double t = 1.0;
    for (int k = 0; k < kMaxHalvings; ++k, t *= 0.5) {
      if (accept(line, t, line.at(t) + losses(t))) return t;
    }
    return 0;
  }

  /// The losses may have corners: where the derivative is small, by false position between a falling and a rising point.
  double nearly_exact(const Line& line) {
    const auto derivative = [&](double t) { return line.ws + t * line.ss + p_.slope_along(z_, t, zs_, pool_); };
    double low = 0, high = 1, at_low = line.along, at_high = derivative(1.0);
    double t = 1.0, now = at_high;
    for (int k = 0; k < kMaxHalvings && now > 0 && std::abs(now) > kFlat * std::abs(line.along); ++k) {
      t = low + (high - low) * std::clamp(at_low / (at_low - at_high), 0.05, 0.95);
      now = derivative(t);
      if (now > 0) {
        high = t;
        at_high = now;
        at_low *= 0.5;  // the Illinois rule: neither end stays for ever
      } else if (std::abs(now) > kFlat * std::abs(line.along)) {
        low = t;
        at_low = now;
        at_high *= 0.5;
        now = at_high;  // go on
      }
    }
    for (int k = 0; k < kMaxHalvings; ++k, t *= 0.5) {
      if (accept(line, t, line.at(t) + losses(t))) return t;
    }
    return 0;
  }

  const Problem& p_;
  const SolveOptions& options_;
  base::Context& context_;
  base::ThreadPool& pool_;
  Index n_, d_;
  bool careful_;  // a step costs little beside its Hessian
  Solution solution_;
  Preconditioner m_;
  double zero_gradient_ = 0;  // norm at w = 0
  double f_ = 0;
  Gains gains_;
  std::vector<double> z_, slope_, curvature_, zs_;
  std::vector<double> g_, s_, r_, q_, dir_, y_;
};

}  // namespace

Solution solve_newton(const Problem& problem, const SolveOptions& options, base::Context& context) {
  return Newton(problem, options, context).run();
}

}  // namespace dcsvm::linear
