#include "qp/block_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "qp/outcome.hpp"
#include "qp/saved_solve.hpp"
#include "qp/selection.hpp"
#include "qp/timer.hpp"

namespace dcsvm::qp {

namespace {

constexpr Index kShrinkRounds = 10;
constexpr double kInnerRatio = 0.1;   // a working set is solved to this share of its violation
constexpr int kMaxIdle = 4;
constexpr Index kRowsMoved = 16;  // of a tile, at a time
constexpr double kSerialWork = 1e6;  // multiply-adds that one thread does alone

// A gradient that is formed at beta: one step there.
void began_at(const double* beta, Index n, double* path) {
  std::transform(beta, beta + n, path, [](double b) { return std::abs(b); });
}

}  // namespace

template <class T>
BlockSolver<T>::BlockSolver(const kernel_matrix::RowSource<T>& source, const Problem& problem, const Options& options,
                            double* beta, double* gradient, base::Context& context, const Progress& progress, double* path,
                            double skipped, const PrecisionLimits& limits)
    : source_(source),
      linear_(source.linear_rows()),
      problem_(problem),
      options_(options),
      full_beta_(beta),
      full_g_(gradient),
      path_(path),
      context_(context),
      pool_(*context.pool),
      progress_(progress),
      earlier_steps_(progress.n_iter),
      max_steps_(step_limit(options, problem.n)),
      room_(room_in<T>(context)),
      active_(room_->active),
      tile_(room_->tile),
      stage_tol_(options.tol),
      work_(room_->work),
      in_work_(room_->in_work),
      delta_(room_->delta),
      limits_(limits),
      square_(std::inner_product(beta, beta + problem.n, beta, 0.0)),
      support_(problem.n - std::count(beta, beta + problem.n, 0.0)),
      skipped_(skipped) {
  active_.begin(source, problem, beta, gradient);
  bounds_ = active_.bounds();
  tile_.make_room(0);
  result_.objective = objective_of(problem, beta, gradient);
  size_tile();
  const bool warm = std::any_of(beta, beta + problem.n, [](double b) { return b != 0.0; });
  if (options.shrinking) warm ? shrink_if_worth() : start_on_sample();  // with a good start few variables are left
  enter_active_set();
}

template <class T>
Result BlockSolver<T>::run() {
  while (iterate()) {
  }
  finish();
  if (result_.stop_reason == StopReason::converged && result_.violation >= options_.tol)
    result_.stop_reason = StopReason::stagnated;
  return result_;
}

// One outer iteration; false: stop, result_.stop_reason says why.
template <class T>
bool BlockSolver<T>::iterate() {
  if (violation() < stage_tol_ || (seems_solved() && (stale() || beyond_reach()))) return !certify();
  if (result_.n_iter >= max_steps_) {
    result_.stop_reason = StopReason::max_iter;
    return false;
  }
  // The limit is an upper estimate, so it holds only for solves that are long; and above tol: below it certify() decides.
  const bool noise =
      is_long() && violation() >= options_.tol && (violation() < limits_.noise * std::sqrt(square_) || limits_.ends_long);
  if (noise || square_ > limits_.largest_square) {
    result_.stop_reason = StopReason::stagnated;
    return false;
  }
  if (report_progress()) {
    result_.stop_reason = StopReason::cancelled;
    return false;
  }
  if (linear_ && is_long() && !std::exchange(switched_to_large_tiles_, true)) {
    const bool was_whole = whole();
    size_tile();
    if (!was_whole) enter_active_set();  // a tile of all active variables is as large as it will be
  }
  if (result_.n_iter > 0) pool_.poll();  // at the start whoever called has
  if (options_.shrinking && (++rounds_ % kShrinkRounds == 0 || (whole() && tile_is_whole_))) maybe_shrink();
  choose_working_set();
  if (make_steps()) {
    if (options_.saved != nullptr && options_.saved->due()) {
      active_.write_back();
      options_.saved->keep(full_beta_, result_.n_iter);
    }
    idle_ = 0;
    inner_scale_ = 1.0;
    return true;
  }
  // The tile's rounded gradient shows no step: solve it more precisely, then check all variables, then give up. certify() may
  // shrink again and come back here, so it is called a few times only.
  inner_scale_ *= 0.1;
  if (++idle_ < kMaxIdle) return true;
  return idle_ < 2 * kMaxIdle && !active_.everything() && !certify();
}

// Solves the tile and updates the gradients. False: no variable has changed.
template <class T>
bool BlockSolver<T>::make_steps() {
  Timer timer(result_.seconds_inner);
  const std::vector<Index>& changed = solve_tile();
  if (changed.empty()) return false;
  timer.turn_to(result_.seconds_update);
  apply_changes(changed);
  return true;
}

template <class T>
void BlockSolver<T>::choose_working_set() {
  if (!whole()) return choose_part();
  if (tile_is_whole_) return;
  work_.resize(active_.size());
  std::iota(work_.begin(), work_.end(), Index{0});
  tile_.q = active_.size();
  for (Index p = 0; p < active_.size(); ++p) tile_.diag[p] = source_.diagonal(active_.idx[p]);
  tile_.begin(0, [this](const std::vector<Index>& slots, T* const* out) { make_tile_rows(slots, out); });
  tile_is_whole_ = true;
}

// Rows of a whole tile, or of a working set.
template <class T>
void BlockSolver<T>::make_tile_rows(const std::vector<Index>& slots, T* const* out) {
  std::vector<Index>& ids = room_->ids;
  ids.resize(slots.size());
  std::transform(slots.begin(), slots.end(), ids.begin(), [&](Index s) { return active_.idx[work_[s]]; });
  const auto m = static_cast<Index>(ids.size());
  // Without a timer: a tiny problem is read in less time than a look at the clock takes.
  if (whole() && !columns_ && source_.read(ids.data(), m, active_.idx.data(), active_.size(), out)) return;
  const Timer timer(result_.seconds_rows, &result_.seconds_inner);
  if (whole() && !columns_) columns_ = source_.columns(active_.idx.data(), active_.size(), tile_columns_budget(), pool_);
  const auto& columns = whole() ? *columns_ : *part_columns_;
  const bool few = static_cast<double>(m * columns.size()) * source_.work_per_value() < kSerialWork;
  if (pool_.size() == 1 || !few) return columns.block(ids.data(), m, out, pool_);
  base::ThreadPool serial(1, [this] { pool_.poll(); });  // a few rows take less time than waking the other threads
  columns.block(ids.data(), m, out, serial);
}

// Variables of the next working set. Where more are free than it holds, they undo each other's steps from set to set; then a
// larger set is worth its slower steps, if kernel rows serve both variables of a point.
template <class T>
Index BlockSolver<T>::part_size() const {
  if (part_limit_ <= kPart || linear_) return part_limit_;
  Index free = 0;
  for (Index p = 0; p < active_.size(); ++p) free += active_.beta[p] > active_.lo[p] && active_.beta[p] < active_.hi[p] ? 1 : 0;
  return free > kPart ? part_limit_ : kPart;
}

template <class T>
void BlockSolver<T>::choose_part() {
  const Timer timer(result_.seconds_select);
  const Index size = part_size();
  if (size != tile_size_) {
    work_.clear();
    in_work_.assign(active_.size(), 0);
    tile_.lay_out(size);
    tile_size_ = size;
  }
  const Index kept = std::min(static_cast<Index>(work_.size()), size / 2);
  keep_newest(kept);
  const bool pairs = problem_.equality;
  SelectionInput in{active_.size(), active_.g.data(), active_.beta.data(), active_.lo.data(), active_.hi.data()};
  if (problem_.group != nullptr) in.group = active_.group.data();
  Index groups = 0;  // that violate
  for (const Bounds& b : bounds_.of) groups += b.violation(pairs) > 0 ? 1 : 0;
  for (std::size_t c = 0; c < 2; ++c) {
    const Bounds& b = bounds_.of[c];
    if (!(b.violation(pairs) > 0)) continue;
    in.wanted_group = static_cast<std::uint8_t>(c);
    in.up_floor = pairs ? b.low : 0.0;
    in.up_top = b.up;
    in.low_ceiling = pairs ? b.up : 0.0;
    in.low_bottom = b.low;
    for (const Index p : select_violators(in, (size - kept) / (2 * groups), in_work_, pool_)) {
      work_.push_back(p);
      in_work_[p] = 1;
    }
  }
  fill_tile(kept);
}

// Moves the newest slots of the tile to its front and forgets the others.
template <class T>
void BlockSolver<T>::keep_newest(Index kept) {
  const Index drop = static_cast<Index>(work_.size()) - kept;
  for (Index s = 0; s < drop; ++s) in_work_[work_[s]] = 0;
  work_.erase(work_.begin(), work_.begin() + drop);
  if (drop == 0 || reads_rows()) return;
  // Where fewer are dropped than kept, a row goes where another one still was: one after another, then.
  const auto move = [&](Index begin, Index end, int) {
    for (Index s = begin; s < end; ++s) {
      const T* from = tile_.k.data() + (s + drop) * tile_.ld + drop;
      std::copy(from, from + kept, tile_.k.data() + s * tile_.ld);
    }
  };
  pool_.for_range(kept, drop < kept ? kept : kRowsMoved, move);
}

// Kernel values of the slots from `kept` on; K is symmetric, so the kept rows copy theirs.
template <class T>
void BlockSolver<T>::fill_tile(Index kept) {
  const Timer timer(result_.seconds_rows, &result_.seconds_select);
  const auto q = static_cast<Index>(work_.size());
  std::vector<Index> ids(work_.size());
  std::transform(work_.begin(), work_.end(), ids.begin(), [&](Index p) { return active_.idx[p]; });
  tile_.q = q;
  for (Index s = 0; s < q; ++s) tile_.diag[s] = source_.diagonal(ids[s]);
  if (reads_rows()) {
    part_columns_ = source_.columns(ids.data(), q, tile_columns_budget(), pool_);
    part_columns_->expect(ids.data(), q, pool_);
    return tile_.begin(0, [this](const std::vector<Index>& slots, T* const* out) { make_tile_rows(slots, out); });
  }
  if (q > kept) {
    const auto columns = source_.columns(ids.data(), q, tile_columns_budget(), pool_);
    columns->block(ids.data() + kept, q - kept, tile_.k.data() + kept * tile_.ld, tile_.ld, pool_);
  }
  pool_.for_range(kept, InnerSmo<T>::kSquare, [&](Index begin, Index end, int) { tile_.mirror(begin, end, kept); });
  tile_.begin(q);
}

// Solves the tile's problem; returns the slots whose beta changed (delta_ says by how much).
template <class T>
const std::vector<Index>& BlockSolver<T>::solve_tile() {
  const auto load = [&](const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t s = 0; s < work_.size(); ++s) to[s] = from[work_[s]];
  };
  load(active_.g, tile_.g);
  load(active_.beta, tile_.beta);
  load(active_.lo, tile_.lo);
  load(active_.hi, tile_.hi);
  if (problem_.group != nullptr) {
    tile_.group.resize(work_.size());
    for (std::size_t s = 0; s < work_.size(); ++s) tile_.group[s] = active_.group[work_[s]];
  }
  const double violation = bounds_.violation(problem_.equality);
  const double ratio = whole() ? 0.0 : kInnerRatio * violation;
  const double tol = inner_scale_ * std::max(ratio, 0.5 * options_.tol);
  std::int64_t steps = 16 * static_cast<std::int64_t>(tile_.q) + 1000;
  steps = std::min(steps, max_steps_ - result_.n_iter);
  const auto outcome = tile_.solve(problem_.equality, tol, steps, [this] {
    pool_.poll();
    return report_progress();
  });
  result_.n_iter += outcome.steps;
  result_.objective -= outcome.gain;
  std::vector<Index>& changed = room_->changed;
  changed.clear();
  delta_.assign(work_.size(), 0.0);
  for (std::size_t s = 0; s < work_.size(); ++s) {
    double& beta = active_.beta[work_[s]];
    delta_[s] = tile_.beta[s] - beta;
    square_ += delta_[s] * (tile_.beta[s] + beta);
    support_ += (tile_.beta[s] != 0.0 ? 1 : 0) - (beta != 0.0 ? 1 : 0);
    path_[active_.idx[work_[s]]] += std::abs(delta_[s]);
    beta = tile_.beta[s];
    if (delta_[s] != 0.0) changed.push_back(static_cast<Index>(s));
  }
  return changed;
}

template <class T>
bool BlockSolver<T>::report_progress() {
  if (context_.monitor == nullptr) return false;
  progress_.n_iter = earlier_steps_ + result_.n_iter;
  progress_.violation = violation();
  progress_.objective = result_.objective;
  progress_.active = active_.size();
  progress_.n_support = support_;
  return context_.monitor->progress(progress_);
}

template <class T>
void BlockSolver<T>::finish() {
  note_peak();
  drop_rows();
  columns_.reset();
  skipped_ += active_.reconstruct(context_.cap_bytes / 2, pool_) * source_.negligible();
  if (!active_.everything()) active_.activate_all();
  bounds_ = active_.bounds();
  result_.violation = violation();
  result_.left_out = skipped_;
  describe<T>(problem_, full_beta_, full_g_, result_);
}

// The bound on left-out kernel values has grown: recompute the gradient, which leaves out at most negligible() x sum |beta|.
template <class T>
void BlockSolver<T>::renew_gradient() {
  const Timer timer(result_.seconds_update);
  result_.renewed = true;
  skipped_ = renewed_ = source_.negligible() * gradient_at(source_, problem_, full_beta_, context_.cap_bytes / 2, pool_, full_g_);
  began_at(full_beta_, problem_.n, path_);
}

template void BlockSolver<float>::renew_gradient();
template void BlockSolver<double>::renew_gradient();

template <class T>
Result solve_blocks(const kernel_matrix::RowSource<T>& source, const Problem& problem, const Options& options, double* beta,
                    double* gradient, double* path, base::Context& context, const Progress& progress,
                    const PrecisionLimits& limits) {
  double error = options.left_out;
  if (!options.gradient_given) {
    error = source.negligible() * gradient_at(source, problem, beta, context.cap_bytes / 4, *context.pool, gradient);
    began_at(beta, problem.n, path);
  }
  return BlockSolver<T>(source, problem, options, beta, gradient, context, progress, path, error, limits).run();
}

template Result solve_blocks<float>(const kernel_matrix::RowSource<float>&, const Problem&, const Options&, double*, double*,
                                    double*, base::Context&, const Progress&, const PrecisionLimits&);
template Result solve_blocks<double>(const kernel_matrix::RowSource<double>&, const Problem&, const Options&, double*, double*,
                                     double*, base::Context&, const Progress&, const PrecisionLimits&);

}  // namespace dcsvm::qp
