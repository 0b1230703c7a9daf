// Truncated Newton with a line search for the smooth losses and 1/2 |w|^2.
// [1] Lin, Weng, Keerthi: Trust region Newton method for large-scale logistic regression (JMLR 9, 2008).
// [2] Hsia, Chiang, Lin: Preconditioned conjugate gradient methods in truncated Newton frameworks (ACML 2018).
// [3] Galli, Lin: A study on truncated Newton methods for linear classification (IEEE TNNLS 33, 2022).
//
// Each step solves H s = -g, H = I + X' D X, by conjugate gradients to the accuracy of [3], preconditioned as preconditioner.hpp
// says; then a backtracking line search, whose function values cost O(n) because Xw and Xs are kept. With few columns H itself is
// factored, and the end is reached in a few steps of full accuracy.
//
// Several problems on the same X (classes) take their steps together: a product with X then serves all of them.
//
// With alpha_i = -slope_i, sum alpha_i x_i = w - g, and the gap between w and alpha is 1/2 |g|^2.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "linear/combination.hpp"
#include "linear/lane_products.hpp"
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
constexpr Index kFromSample = 20;  // products that a problem still needs at the least, where it starts from a sample of its rows
constexpr double kSolved = 1e-4;  // square of the residual, relative: no accuracy asks for less
constexpr std::size_t kPathPoints = 3;  // solutions for other C of which a start is made
// Shares of the tolerance that must be met from there, because LIBLINEAR's last step, from a worse start, ends well below the
// tolerance; where the last point met the tolerance already, LIBLINEAR's own may just have missed it.
constexpr double kPathPart = 0.15;
constexpr double kPathPartStayed = 0.25;
constexpr PreconditionerWork kOwnWork{}, kSharedWork{true, 0.0, 1}, kDiagonalWork{false, 0.0};

/// One problem's state between products with X, which Group computes for all its problems at once. A function that takes a pool
/// computes on its threads; it is serial where the problems of a group are divided among the threads.
class Newton {
 public:
  Newton(const NewtonProblem& task, const PreconditionerWork& work)
      : p_(*task.problem),
        options_(task.options),
        n_(p_.rows()),
        d_(p_.cols()),
        as_liblinear_(options_.path != nullptr && options_.path->as_liblinear),
        careful_(few_columns(*p_.x) && !as_liblinear_),
        own_start_(options_.start_is_own),
        m_(p_, as_liblinear_ ? kDiagonalWork : work, options_.path != nullptr ? &options_.path->squares : nullptr) {
    solution_.w.assign(d_, 0.0);
    for (auto* v : {&z_, &slope_, &curvature_, &zs_}) v->assign(n_, 0.0);
    g_.assign(d_, 0.0);
  }

  bool on_path() const { return options_.path != nullptr && !options_.path->points.empty(); }
  bool has_start() const { return !on_path() && options_.start != nullptr; }
  bool ended() const { return ended_; }
  bool in_direction() const { return in_direction_; }
  std::int64_t n_iter() const { return solution_.n_iter; }
  double violation() const { return solution_.violation; }
  double objective() const { return f_; }

  // The vectors of the products.
  double* w() { return solution_.w.data(); }
  double* z() { return z_.data(); }
  double* zs() { return zs_.data(); }
  double* slope() { return slope_.data(); }
  double* curvature() { return curvature_.data(); }
  double* g() { return g_.data(); }
  double* s() { return s_.data(); }
  double* dir() { return dir_.data(); }
  double* q() { return q_.data(); }
  double* squares() { return m_.squares(); }

  /// Before the first gradient: at w = 0, or at the path's last point, whose gradient is known.
  void begin(base::ThreadPool& pool) {
    if (!on_path()) return evaluate(pool);
    Path& path = *options_.path;
    const double ratio = options_.C / path.C;
    for (auto* v : {&path.squares.curvature, &path.squares.sums}) {
      for (double& one : *v) one *= ratio;
    }
    zero_gradient_ = ratio * path.zero_gradient;
    solution_.w = path.points.back().w;
    z_ = path.points.back().z;
    evaluate(pool);
    for (Index j = 0; j < d_; ++j) g_[j] = ratio * path.gradient[j] + (p_.regularized(j) ? solution_.w[j] : 0.0);
  }

  /// After the gradient at w = 0: goes to the start that was given, if one was.
  void leave_zero() {
    zero_gradient_ = norm(g_);
    at_zero_ = f_;
    if (has_start()) solution_.w = *options_.start;
  }

  /// After the gradient at the start: the limit of the gradient, and the initial values of the report.
  void set_limit() {
    target_ = options_.tol * class_balance(p_) * zero_gradient_;
    const bool by_gap = options_.relative_gap > 0, warm = is_warm();
    solution_.rule = by_gap ? Rule::gradient_gap : Rule::gradient;
    solution_.limit = by_gap ? options_.relative_gap : target_;
    if (own_start_) {
      gains_.add(kInfinity);
      m_.expect_products(kFromSample);
    }
    solution_.initial_objective = warm ? f_ : at_zero_;
    solution_.initial_gradient_norm = warm ? norm(g_) : zero_gradient_;
  }

  /// Whether combine() is to be called, and the gradient computed after it.
  bool combines() {
    if (!on_path()) return false;
    options_.path->stayed = norm(g_) <= target_;
    return !as_liblinear_ && norm(g_) > 0;
  }

  /// Starts from the best combination of the path's points.
  void combine(base::ThreadPool& pool) {
    target_ *= options_.path->stayed ? kPathPartStayed : kPathPart;
    const std::vector<SolvedPoint>& points = options_.path->points;
    const std::vector<double> c = best_combination(p_, points, pool);
    std::fill(solution_.w.begin(), solution_.w.end(), 0.0);
    std::fill(z_.begin(), z_.end(), 0.0);
    for (std::size_t k = 0; k < points.size(); ++k) {
      for (Index j = 0; j < d_; ++j) solution_.w[j] += c[k] * points[k].w[j];
      for (Index i = 0; i < n_; ++i) z_[i] += c[k] * points[k].z[i];
    }
    evaluate(pool);
    own_start_ = true;
    gains_.add(kInfinity);
  }

  /// Takes the solution, and adds it to the path.
  Solution take(base::ThreadPool& pool) {
    if (options_.path != nullptr) leave(pool);
    return std::move(solution_);
  }

  /// Ends the solve where the gradient is small enough or steps are too many.
  void check() {
    before_ = norm(g_);
    if (finished(before_)) return stop(StopReason::converged);
    const std::int64_t limit = options_.max_iter > 0 ? options_.max_iter : kMaxNewtonSteps;
    if (solution_.n_iter >= limit) stop(solution_.violation <= solution_.limit ? StopReason::converged : StopReason::max_iter);
  }

  void stop(StopReason reason) {
    solution_.stop_reason = reason;
    ended_ = true;
  }

  void evaluate(base::ThreadPool& pool) { f_ = penalty(solution_.w) + losses(0.0, pool); }

  /// Before X'slope is computed, which then is the gradient without the regulariser.
  void derivatives(base::ThreadPool& pool) { p_.derivatives(z_, slope_, curvature_, pool); }
  void add_regularizer() {
    for (Index j = 0; j < d_; ++j) g_[j] += p_.regularized(j) ? solution_.w[j] : 0.0;
  }

  /// Whether begin_direction needs the sums of curvature x_ij^2 in squares().
  bool needs_squares() { return m_.plan(); }

  /// Begins s = -H^-1 g; where conjugate gradients are needed, in_direction() is true until enough products H dir have been
  /// added.
  void begin_direction(base::ThreadPool& pool) {
    m_.set(curvature_, pool);
    for (auto* v : {&s_, &r_, &q_, &dir_, &y_}) v->resize(d_);
    for (Index j = 0; j < d_; ++j) r_[j] = -g_[j];
    m_.solve(r_, y_, pool);
    in_direction_ = !m_.exact();
    if (!in_direction_) {
      s_ = y_;
      return;
    }
    dir_ = y_;
    std::fill(s_.begin(), s_.end(), 0.0);
    rz_ = first_rz_ = product_ry(pool);
    accuracy_ = std::min(0.5, std::sqrt(std::sqrt(rz_)));
    model_ = 0;
    n_products_ = 0;
  }

  /// One step of conjugate gradients; q_ is X' D X dir.
  void add_product(base::ThreadPool& pool) {
    ++solution_.n_inner;
    ++n_products_;
    m_.count_product();
    in_direction_ = n_products_ < std::max<Index>(d_, 5);
    const double curve = over_columns(pool, [&](Index j, Sums& sum) {
                           if (p_.regularized(j)) q_[j] += dir_[j];
                           sum.first += dir_[j] * q_[j];
                         }).first;
    if (curve <= 1e-16) return leave_direction();
    const double a = rz_ / curve;
    const Sums with_s = over_columns(pool, [&](Index j, Sums& sum) {
      s_[j] += a * dir_[j];
      r_[j] -= a * q_[j];
      sum.first += g_[j] * s_[j];
      sum.second += r_[j] * s_[j];
    });
    // The quadratic model at s: g's + 1/2 s'Hs = 1/2 (g's - r's).
    const double now = 0.5 * (with_s.first - with_s.second);
    const double decrease = now - model_;
    if (now > 0 || decrease > 0) return leave_direction();  // rounding
    if (static_cast<double>(n_products_) * decrease >= accuracy_ * now) return leave_direction();
    model_ = now;
    if (!in_direction_) return;
    m_.solve(r_, y_, pool);
    const double next = product_ry(pool), b = next / rz_;
    if (next <= kSolved * first_rz_) return leave_direction();
    rz_ = next;
    over_columns(pool, [&](Index j, Sums&) { dir_[j] = y_[j] + b * dir_[j]; });
  }

  /// Moves along s_, with zs_ = X s_.
  void step(base::ThreadPool& pool) {
    gained_ = move(pool);
    ++solution_.n_iter;
  }

  /// After the gradient at the end of a step. Near the end the objective's digits say nothing any more, but a step still makes
  /// the gradient much smaller.
  void judge_step() {
    const double last = norm(g_);
    if (gained_ || last <= 0.5 * before_) return;
    const bool exhausted = 0.5 * last * last <= kExhausted * std::abs(f_);
    const bool reached = finished(last) || solution_.violation <= solution_.limit || exhausted;
    stop(reached ? StopReason::converged : StopReason::stagnated);
  }

 private:
  /// Adds the solution to the path.
  void leave(base::ThreadPool& pool) {
    Path& path = *options_.path;
    path.C = options_.C;
    path.zero_gradient = zero_gradient_;
    path.gradient = g_;
    solution_.objective = f_;
    solution_.rounding = rounding(pool);
    for (Index j = 0; j < d_; ++j) path.gradient[j] -= p_.regularized(j) ? solution_.w[j] : 0.0;
    if (on_path() && solution_.w == path.points.back().w) return;
    if (path.points.size() == kPathPoints) path.points.erase(path.points.begin());
    path.points.push_back({solution_.w, std::move(z_)});
  }

  /// Bound of |g(X) - g(X')|, where X' differs from X by the path's relative rounding: each row's x_i and, through z_i, its slope
  /// differ, the slope by at most the largest curvature of its loss times the change of z_i.
  double rounding(base::ThreadPool& pool) {
    const Path& path = *options_.path;
    derivatives(pool);
    double slopes = 0, curvatures = 0;
    for (Index i = 0; i < n_; ++i) {
      slopes += std::abs(slope_[i]);
      curvatures += p_.C[i] * most_curved(p_.loss);
    }
    return path.rounding * path.row_norm * (slopes + curvatures * path.row_norm * norm(solution_.w));
  }

  /// Whether the gradient's norm ends the solve; notes the violation.
  bool finished(double gradient) {
    solution_.violation = gradient;
    if (gradient == 0) return true;
    if (options_.relative_gap > 0) {
      solution_.violation = 0.5 * gradient * gradient / std::max(std::abs(f_), 1e-300);
      return solution_.violation <= options_.relative_gap && (solution_.violation <= kSpareGap || !spare());
    }
    // With few columns one more step costs little, and the objective is not left where chance has put it, unless the gap says
    // that it is at the optimum. |g|^2 / 2 bounds the gap only where every weight is regularised.
    const double gap = p_.regularize_bias ? 0.5 * gradient * gradient : kInfinity;
    if (gradient > target_) return false;
    if (spare()) return (p_.regularize_bias ? gap : gains_.remaining()) <= kSpareGap * std::abs(f_);
    return !careful_ || gap <= kNear * std::abs(f_) || gains_.remaining() <= options_.last_decrease * std::abs(f_) || is_warm();
  }

  bool spare() const { return has_spare(p_, solution_, options_); }

  bool is_warm() const { return !own_start_ && (on_path() || options_.start != nullptr); }

  static double norm(const std::vector<double>& v) {
    return std::sqrt(simd::ops<double>().dot(v.data(), v.data(), static_cast<Index>(v.size())));
  }

  double penalty(const std::vector<double>& w) const { return 0.5 * p_.regularized_product(w, w); }

  double losses(double t, base::ThreadPool& pool) const { return p_.losses(z_, t, zs_, pool); }

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
  Sums over_columns(base::ThreadPool& pool, const Step& step) const {
    std::vector<Sums> part((d_ + kColumnPiece - 1) / kColumnPiece);
    pool.for_range(d_, kColumnPiece, [&](Index begin, Index end, int) {
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

  double product_ry(base::ThreadPool& pool) const {
    return over_columns(pool, [&](Index j, Sums& sum) { sum.first += r_[j] * y_[j]; }).first;
  }

  void leave_direction() { in_direction_ = false; }

  /// Moves along s_ by the line search. False: it gained nothing that the objective's digits show.
  bool move(base::ThreadPool& pool) {
    const auto [along, ws, ss] = over_columns(pool, [&](Index j, Sums& sum) {
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
    const double t = careful_ ? nearly_exact(line, pool) : backtrack(line, pool);
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

  double backtrack(const Line& line, base::ThreadPool& pool) {
    double t = 1.0;
    for (int k = 0; k < kMaxHalvings; ++k, t *= 0.5) {
      if (accept(line, t, line.at(t) + losses(t, pool))) return t;
    }
    return 0;
  }

  /// The losses may have corners: where the derivative is small, by false position between a falling and a rising point.
  double nearly_exact(const Line& line, base::ThreadPool& pool) {
    const auto derivative = [&](double t) { return line.ws + t * line.ss + p_.slope_along(z_, t, zs_, pool); };
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
      if (accept(line, t, line.at(t) + losses(t, pool))) return t;
    }
    return 0;
  }

  const Problem& p_;
  const SolveOptions& options_;
  Index n_, d_;
  bool as_liblinear_;
  bool careful_;  // a step costs little beside its Hessian
  bool own_start_;  // nothing is concluded from it
  Solution solution_;
  Preconditioner m_;
  double zero_gradient_ = 0, at_zero_ = 0;  // norm, and objective, at w = 0
  double target_ = 0;  // of the gradient
  double f_ = 0, before_ = 0;  // before_: the gradient's norm before the step
  bool gained_ = false, ended_ = false;
  Gains gains_;
  std::vector<double> z_, slope_, curvature_, zs_;
  std::vector<double> g_, s_, r_, q_, dir_, y_;
  // Of the conjugate gradients under way.
  bool in_direction_ = false;
  double rz_ = 0, first_rz_ = 0, accuracy_ = 0, model_ = 0;
  Index n_products_ = 0;
};

/// Problems on the same X, step by step together, so that each product with X serves all that are not at their end.
class Group {
 public:
  Group(const std::vector<NewtonProblem>& tasks, base::Context& context)
      : x_(*tasks.front().problem->x), context_(context), pool_(*context.pool) {
    const PreconditionerWork work = tasks.size() > 1 ? kSharedWork : kOwnWork;
    all_.reserve(tasks.size());
    for (const NewtonProblem& task : tasks) all_.push_back(std::make_unique<Newton>(task, work));
  }

  std::vector<Solution> run() {
    start();
    while (!select(all_, [](const Newton& p) { return !p.ended(); }).empty()) round();
    std::vector<Solution> out;
    out.reserve(all_.size());
    for (const auto& p : all_) out.push_back(p->take(pool_));
    return out;
  }

 private:
  using Problems = std::vector<Newton*>;

  template <class Predicate>
  static Problems select(const std::vector<std::unique_ptr<Newton>>& from, const Predicate& chosen) {
    Problems out;
    for (const auto& p : from) {
      if (chosen(*p)) out.push_back(p.get());
    }
    return out;
  }

  /// work(problem, pool) for each: one of several on one thread, one alone on all.
  template <class Work>
  void each(const Problems& problems, const Work& work) {
    if (problems.size() == 1) return work(*problems.front(), pool_);
    pool_.for_each(static_cast<Index>(problems.size()), [&](Index k, int) {
      base::ThreadPool serial(1);
      work(*problems[static_cast<std::size_t>(k)], serial);
    });
  }

  template <class Vector>
  static Vectors vectors(const Problems& problems, const Vector& vector) {
    Vectors out;
    for (Newton* p : problems) out.push_back((p->*vector)());
    return out;
  }
  template <class Vector>
  static ConstVectors sources(const Problems& problems, const Vector& vector) {
    const Vectors found = vectors(problems, vector);
    return {found.begin(), found.end()};
  }

  void gradients(const Problems& problems) {
    if (problems.empty()) return;
    each(problems, [](Newton& p, base::ThreadPool& pool) { p.derivatives(pool); });
    transposed_products(x_, sources(problems, &Newton::slope), vectors(problems, &Newton::g), pool_);
    for (Newton* p : problems) p->add_regularizer();
  }

  void start() {
    const Problems from_zero = select(all_, [](const Newton& p) { return !p.on_path(); });
    const Problems started = select(all_, [](const Newton& p) { return p.has_start(); });
    each(select(all_, [](const Newton&) { return true; }), [](Newton& p, base::ThreadPool& pool) { p.begin(pool); });
    gradients(from_zero);
    for (Newton* p : from_zero) p->leave_zero();
    if (!started.empty()) {
      products(x_, sources(started, &Newton::w), vectors(started, &Newton::z), pool_);
      each(started, [](Newton& p, base::ThreadPool& pool) { p.evaluate(pool); });
      gradients(started);
    }
    for (const auto& p : all_) p->set_limit();
    Problems combined;
    for (const auto& p : all_) {
      if (p->combines()) combined.push_back(p.get());
    }
    if (!combined.empty()) each(combined, [](Newton& p, base::ThreadPool& pool) { p.combine(pool); });
    gradients(combined);
  }

  /// A step of each problem that is not at its end.
  void round() {
    Problems live = select(all_, [](const Newton& p) { return !p.ended(); });
    for (Newton* p : live) p->check();
    live = select(all_, [](const Newton& p) { return !p.ended(); });
    if (live.empty()) return;
    if (cancelled(live)) {
      for (Newton* p : live) p->stop(StopReason::cancelled);
      return;
    }
    Problems diagonal;
    for (Newton* p : live) {
      if (p->needs_squares()) diagonal.push_back(p);
    }
    if (!diagonal.empty())
      squares_products(x_, sources(diagonal, &Newton::curvature), vectors(diagonal, &Newton::squares), pool_);
    each(live, [](Newton& p, base::ThreadPool& pool) { p.begin_direction(pool); });
    for (;;) {
      const Problems inside = select(all_, [](const Newton& p) { return !p.ended() && p.in_direction(); });
      if (inside.empty()) break;
      pool_.poll();
      curvature_products(x_, sources(inside, &Newton::curvature), sources(inside, &Newton::dir), vectors(inside, &Newton::q),
                         pool_);
      each(inside, [](Newton& p, base::ThreadPool& pool) { p.add_product(pool); });
    }
    products(x_, sources(live, &Newton::s), vectors(live, &Newton::zs), pool_);
    each(live, [](Newton& p, base::ThreadPool& pool) { p.step(pool); });
    gradients(live);
    for (Newton* p : live) p->judge_step();
  }

  bool cancelled(const Problems& live) {
    Solution so_far;
    double objective = 0;
    for (const auto& p : all_) {
      so_far.n_iter += p->n_iter();
      objective += p->objective();
    }
    for (const Newton* p : live) so_far.violation = std::max(so_far.violation, p->violation());
    return linear::cancelled(context_, "newton", so_far, objective, x_.rows());
  }

  const Matrix& x_;
  base::Context& context_;
  base::ThreadPool& pool_;
  std::vector<std::unique_ptr<Newton>> all_;
};

}  // namespace

std::vector<Solution> solve_newton(const std::vector<NewtonProblem>& problems, base::Context& context) {
  return Group(problems, context).run();
}

Solution solve_newton(const Problem& problem, const SolveOptions& options, base::Context& context) {
  return std::move(solve_newton({{&problem, options}}, context).front());
}

}  // namespace dcsvm::linear
