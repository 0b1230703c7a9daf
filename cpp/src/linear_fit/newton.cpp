#include "linear_fit/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/block_sums.hpp"
#include "linear_fit/start_between.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/line_search.hpp"
#include "simd/ops.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr std::size_t kPathPoints = 3;  // solutions for other C of which a start is made

double norm(const std::vector<double>& v, std::size_t without = 0) {
  return std::sqrt(simd::ops<double>().dot(v.data(), v.data(), static_cast<Index>(v.size() - without)));
}
double norm_without_bias(const std::vector<double>& v) { return norm(v, 1); }

}  // namespace

void Newton::Sums::operator+=(const Sums& s) {
  first += s.first;
  second += s.second;
  third += s.third;
}

/// term(j, sums) for all columns.
template <class Term>
Newton::Sums Newton::over_columns(base::ThreadPool& pool, const Term& term) const {
  using products::kSums;
  return base::sum_blocks(d_, products::kEntryPiece, pool, [&](Index begin, Index end) {
    Sums own[kSums];
    Index j = begin;
    for (; j + kSums <= end; j += kSums) {
      for (Index k = 0; k < kSums; ++k) term(j + k, own[k]);
    }
    for (; j < end; ++j) term(j, own[0]);
    for (Index k = 1; k < kSums; ++k) own[0] += own[k];
    return own[0];
  });
}

double Newton::OverColumns::dot(const std::vector<double>& a, const std::vector<double>& b) const {
  return newton.over_columns(pool, [&](Index j, Sums& sum) { sum.first += a[j] * b[j]; }).first;
}

template <class Fn>
void Newton::OverColumns::each(const Fn& fn) const {
  newton.over_columns(pool, [&](Index j, Sums&) { fn(j); });
}

Newton::Newton(const NewtonProblem& task, bool shared, std::size_t cap_bytes)
    : p_(*task.problem),
      options_(task.options),
      n_(p_.rows()),
      d_(p_.cols()),
      start_(options_.path != nullptr && !options_.path->points.empty() ? Start::path
             : options_.start == nullptr                                ? Start::zero
                                                                        : Start::given),
      m_(p_, shared, options_.path != nullptr && !shared ? &options_.path->squares : nullptr, cap_bytes) {
  solution_.w.assign(d_, 0.0);
  for (auto* v : {&z_, &slope_, &curvature_, &zs_}) v->assign(n_, 0.0);
  g_.assign(d_, 0.0);
}

void Newton::ask(Request request, Stage next) {
  request_ = request;
  next_ = next;
}

void Newton::resume(Workspace& workspace) {
  if (request_ == Request::gradient) {
    for (Index j = 0; j < d_; ++j) g_[j] += p_.regularized(j) ? solution_.w[j] : 0.0;
  }
  (this->*next_)(workspace);
}

void Newton::stop(StopReason reason) {
  solution_.stop_reason = reason;
  ask(Request::nothing, nullptr);
}

/// At w = 0, or at the path's last point, whose gradient is known: the losses' part of it is proportional to C, as the squares
/// are.
void Newton::begin(Workspace& workspace) {
  if (start_ == Start::given && options_.relative_gap > 0) {  // the gap is all that is asked about, and w = 0 says nothing of it
    solution_.w = *options_.start;
    return ask(Request::decisions, &Newton::arrive);
  }
  if (start_ != Start::path) {
    evaluate(workspace.pool);
    return ask_for_gradient(workspace.pool, &Newton::leave_zero);
  }
  Path& path = *options_.path;
  const double ratio = options_.C / path.C;
  for (auto* v : {&path.squares.curvature, &path.squares.sums}) {
    for (double& one : *v) one *= ratio;
  }
  zero_gradient_ = ratio * path.zero_gradient;
  solution_.free_bias = path.free_bias;
  solution_.w = path.points.back().w;
  z_ = path.points.back().z;
  evaluate(workspace.pool);
  for (Index j = 0; j < d_; ++j) g_[j] = ratio * path.gradient[j] + (p_.regularized(j) ? solution_.w[j] : 0.0);
  start_steps(workspace);
}

/// Goes to the start that was given, if one was.
void Newton::leave_zero(Workspace& workspace) {
  zero_gradient_ = norm(g_);
  if (options_.relative_gap == 0) solution_.free_bias = p_.free_bias(zero_gradient_, norm_without_bias(g_), slope_);
  at_zero_ = f_;
  if (start_ == Start::zero) return start_steps(workspace);
  solution_.w = *options_.start;
  ask(Request::decisions, &Newton::arrive);
}

void Newton::arrive(Workspace& workspace) {
  evaluate(workspace.pool);
  ask_for_gradient(workspace.pool, &Newton::start_steps);
}

/// The limit of the gradient, and the initial values of the report.
void Newton::start_steps(Workspace& workspace) {
  const double gradient = violation();
  target_ = options_.tol * class_balance(p_) * zero_gradient_;
  const bool by_gap = options_.relative_gap > 0;
  solution_.rule = by_gap ? Rule::gradient_gap : Rule::gradient;
  solution_.limit = by_gap ? options_.relative_gap : target_;
  solution_.initial_objective = warm() || at_zero_ < 0 ? f_ : at_zero_;
  solution_.initial_gradient_norm = warm() ? gradient : zero_gradient_;
  if (start_ == Start::path) {
    options_.path->stayed = gradient <= target_;
    if (!options_.path->stayed) return combine(workspace);
  }
  next_step(workspace);
}

/// Starts from the best combination of the path's points.
void Newton::combine(Workspace& workspace) {
  const std::vector<SolvedPoint>& points = options_.path->points;
  const std::vector<double> c = best_combination(p_, points, workspace.pool);
  std::fill(solution_.w.begin(), solution_.w.end(), 0.0);
  std::fill(z_.begin(), z_.end(), 0.0);
  for (std::size_t k = 0; k < points.size(); ++k) {
    for (Index j = 0; j < d_; ++j) solution_.w[j] += c[k] * points[k].w[j];
    for (Index i = 0; i < n_; ++i) z_[i] += c[k] * points[k].z[i];
  }
  evaluate(workspace.pool);
  ask_for_gradient(workspace.pool, &Newton::next_step);
}

/// Ends the solve where the gradient is small enough or steps are too many.
void Newton::next_step(Workspace& workspace) {
  before_ = violation();
  if (!std::isfinite(before_)) return overflow();
  if (finished(before_, workspace.pool)) return stop(StopReason::converged);
  const std::int64_t limit = options_.max_iter > 0 ? options_.max_iter : kMostSteps;
  if (solution_.n_iter < limit) return ask(Request::step, &Newton::begin_direction);
  stop(solution_.violation <= solution_.limit ? StopReason::converged : StopReason::max_iter);
}

/// Begins s = -H^-1 g.
void Newton::begin_direction(Workspace& workspace) {
  m_.set(curvature_, workspace.tile_rows, workspace.pool);
  const OverColumns sums{*this, workspace.pool};
  std::vector<double> minus_g(d_);
  for (Index j = 0; j < d_; ++j) minus_g[j] = -g_[j];
  cg_.begin(std::move(minus_g), sums);
  m_.solve(cg_.residual, cg_.preconditioned, workspace.pool);
  if (m_.exact()) {
    cg_.solution = cg_.preconditioned;
    return ask(Request::change, &Newton::step);
  }
  accuracy_ = std::min(0.5, std::sqrt(std::sqrt(cg_.turn(sums))));
  model_ = 0;
  ask(Request::curvature, &Newton::add_product);
}

/// One step of conjugate gradients. Goes on to the step along s where it is the last one.
void Newton::add_product(Workspace& workspace) {
  const OverColumns sums{*this, workspace.pool};
  ++solution_.n_inner;
  m_.count_product();
  ask(Request::change, &Newton::step);
  sums.each([&](Index j) {
    if (p_.regularized(j)) cg_.image[j] += cg_.direction[j];
  });
  const double curve = cg_.advance(sums);
  if (!std::isfinite(curve)) return overflow();
  if (!(curve > 0)) return;
  model_ += cg_.gain;  // of the quadratic model along all directions
  if (static_cast<double>(cg_.steps) * cg_.gain <= accuracy_ * model_) return;
  if (cg_.steps >= d_) return;
  m_.solve(cg_.residual, cg_.preconditioned, workspace.pool);
  cg_.turn(sums);
  ask(Request::curvature, &Newton::add_product);
}

/// The gradient's norm, or what a free bias makes of it.
double Newton::violation() const {
  const FreeBias& free = solution_.free_bias;
  return free.of_bias > 0 ? free.violation(norm(g_), norm_without_bias(g_), std::abs(g_.back())) : norm(g_);
}

void Newton::step(Workspace& workspace) {
  gained_ = move(workspace.pool);
  ++solution_.n_iter;
  ask_for_gradient(workspace.pool, &Newton::judge_step);
}

/// Near the end the objective's digits say nothing any more, but a step still makes the gradient much smaller.
void Newton::judge_step(Workspace& workspace) {
  const double last = violation();
  if (gained_ || last <= 0.5 * before_) return next_step(workspace);
  const double gap = 0.5 * last * last;
  const bool reached = finished(last, workspace.pool) || solution_.violation <= solution_.limit ||
                       exhausted(p_, slope_, gap, unit(gap, workspace.pool), workspace.pool);
  stop(reached ? StopReason::converged : StopReason::stagnated);
}

void Newton::ask_for_gradient(base::ThreadPool& pool, Stage next) {
  p_.derivatives(z_, slope_, curvature_, pool);
  ask(Request::gradient, next);
}

/// Sums or products have left the range of double: the training that gets these weights says so (train.cpp).
void Newton::overflow() {
  solution_.violation = kNaN;
  std::fill(solution_.w.begin(), solution_.w.end(), solution_.violation);
  stop(StopReason::stagnated);
}

/// Whether the gradient's norm ends the solve; notes the violation.
bool Newton::finished(double gradient, base::ThreadPool& pool) {
  solution_.violation = gradient;
  if (gradient == 0) return true;
  const bool polish = half_left(solution_, options_) && may_polish(*p_.x, newton_passes(solution_), options_);
  const double gap = 0.5 * gradient * gradient;
  if (options_.relative_gap > 0) {
    solution_.violation = gap / std::max(unit(gap, pool), std::numeric_limits<double>::min());
    return solution_.violation <= options_.relative_gap && (solution_.violation <= kPolishedGap || !polish);
  }
  if (gradient > target_) return false;
  // |g|^2 / 2 bounds the gap only where every weight is regularised.
  if (polish) return (p_.has_dual() ? gap : gains_.remaining()) <= kPolishedGap * unit(gap, pool);
  if (!is_narrow(*p_.x) || start_ == Start::path || p_.penalty.none()) return true;  // without a penalty there may be no optimum
  return gains_.remaining() <= kLastGain * unit(gap, pool);
}

/// Quality::unit() of w and the dual variables -slope, whose gap is 1/2 |g|^2. Where the objective has clearly fallen it says how
/// much.
double Newton::unit(double gap, base::ThreadPool& pool) {
  if (at_zero_ < 0) at_zero_ = p_.losses(z_, -1.0, z_, pool);
  if (at_zero_ - f_ > std::sqrt(kRounding) * std::abs(f_)) return std::min(std::abs(f_), at_zero_ - f_ + gap);
  std::vector<double> alpha(slope_), u(solution_.w);
  for (double& a : alpha) a = -a;
  for (Index j = 0; j < d_; ++j) u[j] = (p_.regularized(j) ? u[j] : 0.0) - g_[j];
  return p_.quality(f_, solution_.w, z_, alpha, u, pool).unit();
}

Solution Newton::take(base::ThreadPool& pool) {
  if (options_.path != nullptr) leave(pool);
  return std::move(solution_);
}

/// Adds the solution to the path.
void Newton::leave(base::ThreadPool& pool) {
  Path& path = *options_.path;
  path.C = options_.C;
  path.zero_gradient = zero_gradient_;
  path.free_bias = solution_.free_bias;
  path.gradient = g_;
  solution_.objective = f_;
  solution_.rounding = rounding(pool);
  for (Index j = 0; j < d_; ++j) path.gradient[j] -= p_.regularized(j) ? solution_.w[j] : 0.0;
  if (!path.points.empty() && solution_.w == path.points.back().w) return;
  if (path.points.size() == kPathPoints) path.points.erase(path.points.begin());
  path.points.push_back({solution_.w, std::move(z_)});
}

/// Bound of |g(X) - g(X')|, where X' differs from X by the path's relative rounding: each row's x_i and, through z_i, its slope
/// differ, the slope by at most the largest curvature of its loss times the change of z_i.
double Newton::rounding(base::ThreadPool& pool) {
  const Path& path = *options_.path;
  p_.derivatives(z_, slope_, curvature_, pool);
  double slopes = 0, curvatures = 0;
  for (Index i = 0; i < n_; ++i) {
    slopes += std::abs(slope_[i]);
    curvatures += p_.C[i] * traits_of(p_.loss).most_curved;
  }
  return std::max({1.0, path.free_bias.of_others, path.free_bias.of_bias}) * path.rounding * path.row_norm *
         (slopes + curvatures * path.row_norm * norm(solution_.w));
}

void Newton::evaluate(base::ThreadPool& pool) { f_ = 0.5 * p_.regularized_product(solution_.w, solution_.w) + losses(0.0, pool); }

/// Moves along the step by the line search. False: it gained nothing that the objective's digits show.
bool Newton::move(base::ThreadPool& pool) {
  const std::vector<double>& s = cg_.solution;
  const auto [along, ws, ss] = over_columns(pool, [&](Index j, Sums& sum) {
    sum.first += g_[j] * s[j];
    if (!p_.regularized(j)) return;
    sum.second += solution_.w[j] * s[j];
    sum.third += s[j] * s[j];
  });
  double t = 1.0;
  const bool rounded = -along <= kRounding * std::abs(f_);
  if (rounded) {
    gains_.add(-0.5 * along);  // of the quadratic model
  } else {
    const Line line{0.5 * p_.regularized_product(solution_.w, solution_.w), ws, ss, along};
    const auto derivative = [&](double at) { return line.ws + at * line.ss + p_.slope_along(z_, at, zs_, pool); };
    t = backtrack(line, is_narrow(*p_.x) ? optimise::false_position(derivative, line.along) : 1.0, pool);
  }
  if (t == 0) return false;
  for (Index j = 0; j < d_; ++j) solution_.w[j] += t * s[j];
  for (Index i = 0; i < n_; ++i) z_[i] += t * zs_[i];
  return !rounded && gains_.last() > kTiny * std::abs(f_);
}

/// The objective at the step length becomes f_; 0 when it is low enough at none.
double Newton::backtrack(const Line& line, double t, base::ThreadPool& pool) {
  const auto value = [&](double at) { return line.at(at) + losses(at, pool); };
  const optimise::LineStep found = optimise::armijo(value, f_, line.along, t);
  if (found.t > 0) gains_.add(f_ - found.value);
  f_ = found.value;
  return found.t;
}

}  // namespace dcsvm::linear_fit
