#include "qp/block_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "dcsvm/errors.hpp"
#include "qp/outcome.hpp"
#include "qp/saved_solve.hpp"
#include "qp/selection.hpp"
#include "qp/timer.hpp"

namespace dcsvm::qp {

namespace {

constexpr Index kPart = 1024;         // variables of a working set; or points, see part_size
constexpr Index kLeastWhole = 128;    // where updates go through weights: at least this,
constexpr double kWholePerRoot = 6.0;  // and this times sqrt(n)
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
      room_(base::borrowed<SolverRoom<T>>(context)),
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

// The tile gets at most a quarter of the byte cap, or half where it holds all active variables and little else is needed.
template <class T>
void BlockSolver<T>::size_tile() {
  const auto largest = [&](double bytes) {  // q (q + 32) values fit
    return std::max<Index>(2, static_cast<Index>(std::sqrt(256.0 + bytes / sizeof(T)) - 16.0));
  };
  const auto cap = static_cast<double>(context_.cap_bytes);
  whole_limit_ = kWholeTile;
  const bool small =
      linear_ && !is_long();  // an update costs one pass over X, whatever the number of changes: small tiles pay sooner
  if (small) {
    const auto wanted = static_cast<Index>(kWholePerRoot * std::sqrt(static_cast<double>(problem_.n)));
    while (whole_limit_ > kLeastWhole && whole_limit_ / 2 >= wanted) whole_limit_ /= 2;
  }
  whole_limit_ = std::min(whole_limit_, largest(cap / 2));
  part_limit_ = std::min(small ? std::max<Index>(2, whole_limit_ / 2) : kPart * source_.variables_per_point(), largest(cap / 4));
}

// Allocates what the current active set needs: a whole tile, or columns and a row cache.
template <class T>
void BlockSolver<T>::enter_active_set() {
  const Index n = active_.size();
  work_.clear();
  in_work_.assign(n, 0);
  tile_is_whole_ = false;
  note_peak();
  columns_.reset();
  part_columns_.reset();
  if (whole()) drop_rows();
  const Index slots = whole() ? n : part_limit_;
  if (static_cast<Index>(tile_.g.size()) < slots) tile_.make_room(slots);
  tile_.allow_walks(whole() ? n : 0, context_.cap_bytes / 8);  // a working set hardly ever lasts until one pays
  if (whole()) tile_.lay_out(n);
  tile_size_ = 0;
  if (whole() || linear_) return note_peak();
  const std::size_t cap = context_.cap_bytes, fixed = tile_.bytes() + tile_columns_budget();
  const std::size_t two_rows = 2 * (static_cast<std::size_t>(n) + 16) * sizeof(T);
  const auto demand = [&](std::size_t bytes) {
    if (bytes <= cap) return;
    throw CapError("cache_size: " + std::to_string(cap) + " bytes do not hold two kernel rows of " + std::to_string(n) +
                   " values; at least " + std::to_string((bytes >> 20) + 1) + " MB are needed");
  };
  demand(fixed + two_rows);
  // A cache that outlives shrinking keeps its memory; the columns get the rest.
  const std::size_t cached = cache_ ? cache_->bytes() : region_cache_ ? region_cache_->bytes() : 0;
  const std::size_t budget = cached > 0 ? cap - fixed - cached : (cap - fixed - two_rows) / 2;
  columns_ = source_.columns(active_.idx.data(), n, budget, pool_);
  if (cached > 0 || keeps_no_rows()) return;
  demand(fixed + two_rows + columns_->bytes());
  const std::size_t rest = cap - fixed - columns_->bytes();
  if (columns_->region_size() > 0) {
    region_cache_ = std::make_unique<RegionCache<T>>(n, columns_->region_size(), rest);
  } else {
    cache_ = std::make_unique<RowCache<T>>(n, rest, source_.work_per_value());
  }
}

template <class T>
void BlockSolver<T>::note_peak() {
  const std::size_t held = tile_.bytes() + (columns_ ? columns_->bytes() : 0) + (cache_ ? cache_->peak_bytes() : 0) +
                           (region_cache_ ? region_cache_->peak_bytes() : 0);
  result_.peak_bytes = std::max(result_.peak_bytes, static_cast<std::int64_t>(held));
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
  // The limit is an upper estimate, so it holds only for solves that are long; of a linear kernel those need tiles in double, as
  // its gradients are; and above tol: below it certify() decides.
  const bool noise = is_long() && violation() >= options_.tol &&
                     (violation() < limits_.noise * std::sqrt(square_) || (linear_ && limits_.noise > 0));
  if (noise || square_ > limits_.largest_square) {
    result_.stop_reason = StopReason::stagnated;
    return false;
  }
  if (report_progress()) {
    result_.stop_reason = StopReason::cancelled;
    return false;
  }
  if (linear_ && is_long() && !std::exchange(large_tiles_, true)) {
    size_tile();
    enter_active_set();
  }
  if (result_.n_iter > 0) pool_.poll();  // at the start whoever called has
  if (options_.shrinking && (++rounds_ % kShrinkRounds == 0 || (whole() && tile_is_whole_))) maybe_shrink();
  choose_working_set();
  Timer timer(result_.seconds_inner);
  const auto& changed = solve_tile();
  if (!changed.empty()) {
    timer.turn_to(result_.seconds_update);
    apply_changes(changed);
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
  auto& tile = tile_;
  const auto q = static_cast<Index>(work_.size());
  std::vector<Index> ids(work_.size());
  std::transform(work_.begin(), work_.end(), ids.begin(), [&](Index p) { return active_.idx[p]; });
  tile.q = q;
  for (Index s = 0; s < q; ++s) tile.diag[s] = source_.diagonal(ids[s]);
  if (reads_rows()) {
    part_columns_ = source_.columns(ids.data(), q, tile_columns_budget(), pool_);
    part_columns_->expect(ids.data(), q, pool_);
    return tile.begin(0, [this](const std::vector<Index>& slots, T* const* out) { make_tile_rows(slots, out); });
  }
  if (q > kept) {
    const auto columns = source_.columns(ids.data(), q, tile_columns_budget(), pool_);
    columns->block(ids.data() + kept, q - kept, tile.k.data() + kept * tile.ld, tile.ld, pool_);
  }
  pool_.for_range(kept, InnerSmo<T>::kSquare, [&](Index begin, Index end, int) { tile.mirror(begin, end, kept); });
  tile.begin(q);
}

// Solves the tile's problem; returns the slots whose beta changed (delta_ says by how much).
template <class T>
const std::vector<Index>& BlockSolver<T>::solve_tile() {
  auto& tile = tile_;
  const auto load = [&](const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t s = 0; s < work_.size(); ++s) to[s] = from[work_[s]];
  };
  load(active_.g, tile.g);
  load(active_.beta, tile.beta);
  load(active_.lo, tile.lo);
  load(active_.hi, tile.hi);
  if (problem_.group != nullptr) {
    tile.group.resize(work_.size());
    for (std::size_t s = 0; s < work_.size(); ++s) tile.group[s] = active_.group[work_[s]];
  }
  const double violation = bounds_.violation(problem_.equality);
  const double ratio = whole() ? 0.0 : kInnerRatio * violation;
  const double tol = inner_scale_ * std::max(ratio, 0.5 * options_.tol);
  std::int64_t steps = 16 * static_cast<std::int64_t>(tile.q) + 1000;
  steps = std::min(steps, max_steps_ - result_.n_iter);
  const auto outcome = tile.solve(problem_.equality, tol, steps, [this] { pool_.poll(); });
  result_.n_iter += outcome.steps;
  result_.objective -= outcome.gain;
  std::vector<Index>& changed = room_->changed;
  changed.clear();
  delta_.assign(work_.size(), 0.0);
  for (std::size_t s = 0; s < work_.size(); ++s) {
    double& beta = active_.beta[work_[s]];
    delta_[s] = tile.beta[s] - beta;
    square_ += delta_[s] * (tile.beta[s] + beta);
    support_ += (tile.beta[s] != 0.0 ? 1 : 0) - (beta != 0.0 ? 1 : 0);
    path_[active_.idx[work_[s]]] += std::abs(delta_[s]);
    beta = tile.beta[s];
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

template void BlockSolver<float>::enter_active_set();
template void BlockSolver<double>::enter_active_set();
template void BlockSolver<float>::note_peak();
template void BlockSolver<double>::note_peak();
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
