#include "low_rank/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/vectors.hpp"
#include "dcsvm/errors.hpp"
#include "simd/ops.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr Index kLeastRowsAtOnce = 256;
// In blocks: rounds and passes that one block gets. More would fit w to the block rather than to the data.
constexpr int kBlockRounds = 2;
constexpr std::int64_t kBlockPasses = 10;
constexpr std::size_t kStateBytes = 96;  // of a row in memory beside its features: number, norm, what coordinate descent keeps

/// Whole vectors, so that every row starts where loads are aligned.
Index padded(Index cols) { return (cols + 15) / 16 * 16; }

}  // namespace

LowRankSolver::LowRankSolver(const data::RowBlocks& source, const FeatureMap& map, std::size_t cap_bytes, base::ThreadPool& pool,
                             base::Monitor* monitor)
    : source_(source), map_(map), pool_(pool), monitor_(monitor) {
  resident_.cols = map.cols();
  resident_.ld = padded(map.cols());
  const std::size_t row_bytes = static_cast<std::size_t>(resident_.ld) * sizeof(float) + kStateBytes;
  const std::size_t held = map.bytes() + static_cast<std::size_t>(pool.size()) * map.bytes_per_thread() + source.bytes();
  const Index n = source.rows();
  const Index most = cap_bytes > held ? static_cast<Index>((cap_bytes - held) / row_bytes) : 0;
  if (most < std::min(n, kLeastRowsAtOnce)) {
    throw CapError("the memory cap (cache_size; for a file or batches memory_mb) must hold the map and " +
                   std::to_string(kLeastRowsAtOnce) + " rows of " + std::to_string(map.cols()) + " features: at least " +
                   std::to_string((held + static_cast<std::size_t>(kLeastRowsAtOnce) * row_bytes) / 1048576 + 1) + " MB");
  }
  if (most >= n) {
    room_ = n;
  } else {
    kept_room_ = most / 2;
    room_ = most - kept_room_;
  }
  if (room_ == n && source.blocks() > 1) {
    units_.push_back({-1, 0, n});  // all blocks
  } else {
    for (Index b = 0; b < source.blocks(); ++b) {
      const Index size = source.first_row(b + 1) - source.first_row(b), parts = (size + room_ - 1) / room_;
      for (Index p = 0; p < parts; ++p) units_.push_back({b, p * size / parts, (p + 1) * size / parts - p * size / parts});
    }
  }
}

void LowRankSolver::load(const Unit& unit, SolveStats& stats) {
  const auto start = base::Clock::now();
  if (features_.size() == 0) features_ = base::Buffer<float>((room_ + kept_room_) * resident_.ld);
  resident_.features = features_.data();
  const Index before = resident_.size();
  const auto append = [&](Index block, Index first, Index count) {
    source_.visit(block, [&](const DataView& x) {
      float* out = features_.data() + resident_.size() * resident_.ld;
      pool_.for_range(count, kFeatureRows, [&](Index begin, Index end, int) {
        map_.block(x, first + begin, end - begin, out + begin * resident_.ld, resident_.ld);
      });
    });
    const Index row = source_.first_row(block) + first;
    for (Index i = 0; i < count; ++i) resident_.rows.push_back(row + i);
  };
  if (unit.block >= 0) {
    append(unit.block, unit.first, unit.count);
  } else {
    for (Index b = 0; b < source_.blocks(); ++b) append(b, 0, source_.first_row(b + 1) - source_.first_row(b));
  }
  measure(resident_, before, pool_);
  for (Index l = before; l < resident_.size(); ++l) {
    if (!std::isfinite(resident_.norm2[l])) {
      throw DataError("X: kernel values overflow (infinity or NaN) at row " + std::to_string(resident_.rows[l]) +
                      "; scale the features or choose another kernel");
    }
  }
  stats.rows_mapped += resident_.size() - before;
  stats.peak_bytes = std::max(stats.peak_bytes, static_cast<std::size_t>(resident_.size() * resident_.ld) * sizeof(float));
  stats.feature_seconds += base::seconds_since(start);
}

void LowRankSolver::load_all(SolveStats& stats) {
  if (!loaded_) load(units_.front(), stats);
  loaded_ = true;
}

void LowRankSolver::compact(const std::vector<char>& keep) {
  Index to = 0;
  for (Index l = 0; l < resident_.size(); ++l) {
    if (l % kLeastRowsAtOnce == 0) pool_.poll();
    if (keep[l] == 0) continue;
    if (to != l) std::copy_n(resident_.row(l), resident_.ld, features_.data() + to * resident_.ld);
    resident_.rows[to] = resident_.rows[l];
    resident_.norm2[to] = resident_.norm2[l];
    ++to;
  }
  resident_.rows.resize(to);
  resident_.norm2.resize(to);
}

void LowRankSolver::drop_rows_of(const Unit& unit) {
  const Index begin = source_.first_row(unit.block) + unit.first, end = begin + unit.count;
  std::vector<char> keep(resident_.size(), 1);
  for (Index l = 0; l < resident_.size(); ++l) {
    if (resident_.rows[l] >= begin && resident_.rows[l] < end) keep[l] = 0;
  }
  compact(keep);
}

// Each row's features are computed as part of its unit, as they were the first time: the same bits whatever tile a row is in.
void LowRankSolver::load_kept(const std::vector<Index>& rows, SolveStats& stats) {
  resident_.rows.clear();
  resident_.norm2.clear();
  if (static_cast<Index>(rows.size()) > kept_room_) {
    throw DataError("the saved state of the training keeps " + std::to_string(rows.size()) +
                    " rows in memory, but there is room for " + std::to_string(kept_room_) +
                    ": delete the file state in the folder of the block cache to train from the start");
  }
  const auto first_row = [&](const Unit& unit) { return source_.first_row(unit.block) + unit.first; };
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    const auto after = std::upper_bound(units_.begin(), units_.end(), rows[begin],
                                        [&](Index row, const Unit& unit) { return row < first_row(unit); });
    const Unit& unit = *std::prev(after);
    const Index first = first_row(unit), before = resident_.size();
    load(unit, stats);
    std::vector<char> keep(resident_.size(), 0);
    std::fill_n(keep.begin(), before, 1);
    for (end = begin; end < rows.size() && rows[end] >= first && rows[end] < first + unit.count; ++end)
      keep[before + rows[end] - first] = 1;
    compact(keep);
  }
}

double LowRankSolver::decision(const BinaryState& state, Index row) const { return linear_decision(resident_, row, state); }

void LowRankSolver::weigh(const Labelled& data, BinaryState& state) {
  SolveStats ignored;
  load_all(ignored);
  state.w.assign(resident_.cols + 1, 0.0);
  for (Index l = 0; l < resident_.size(); ++l) {
    if (l % kLeastRowsAtOnce == 0) pool_.poll();
    const Index row = resident_.rows[l];
    const double coef = state.alpha[row] * state.problem.sign(data.class_of[row]);
    if (coef == 0.0) continue;
    const float* x = resident_.row(l);
    simd::ops<float>().accumulate(&coef, &x, 1, 0, resident_.cols, state.w.data());
    state.w.back() += coef;
  }
}

void LowRankSolver::keep_nearest(const Labelled& data, const BlockState& state) {
  const Index n = resident_.size();
  std::vector<double> distance(n, std::numeric_limits<double>::infinity());
  pool_.for_range(n, 64, [&](Index begin, Index end, int) {
    for (Index l = begin; l < end; ++l) {
      const Index row = resident_.rows[l];
      for (const BinaryState& p : state.problems) {
        const int y = data.C[row] > 0 ? p.problem.sign(data.class_of[row]) : 0;
        if (y != 0) distance[l] = std::min(distance[l], std::abs(1.0 - y * linear_decision(resident_, l, p)));
      }
    }
  });
  std::vector<Index> order = base::index_range(n);
  const Index room = std::min(kept_room_, n);
  std::nth_element(order.begin(), order.begin() + room, order.end(), [&](Index a, Index b) {
    return distance[a] != distance[b] ? distance[a] < distance[b] : resident_.rows[a] < resident_.rows[b];
  });
  std::vector<char> keep(n, 0);
  for (Index i = 0; i < room; ++i) keep[order[i]] = std::isfinite(distance[order[i]]) ? 1 : 0;
  compact(keep);
}

bool LowRankSolver::report(const LinearStats& part, std::int64_t steps) {
  if (monitor_ == nullptr) return false;
  Progress p;
  p.phase = "solve";
  p.done = done_;
  p.total = total_;
  p.n_iter = steps + part.steps;
  p.violation = part.violation;
  return monitor_->progress(p);
}

void LowRankSolver::solve_resident(const Labelled& data, const LinearOptions& options, BlockState& state, SolveStats& stats) {
  const auto n = static_cast<Index>(state.problems.size());
  std::vector<LinearStats> part(state.problems.size());
  if (n >= pool_.size() && n > 1) {  // side by side
    pool_.for_each(n, [&](Index p, int worker) {
      const auto poll = [&](const LinearStats& s) {
        if (worker != 0) {
          if (pool_.failed()) throw Interrupted();
          return stop_.load(std::memory_order_relaxed);
        }
        pool_.poll();
        if (report(s, stats.steps)) stop_ = true;
        return stop_.load(std::memory_order_relaxed);
      };
      part[p] = solve_linear(resident_, data, options, base::ThreadPool::serial(), poll, state.problems[p]);
    });
  } else {
    const auto poll = [&](const LinearStats& s) {
      pool_.poll();
      if (report(s, stats.steps)) stop_ = true;
      return stop_.load(std::memory_order_relaxed);
    };
    for (Index p = 0; p < n; ++p) part[p] = solve_linear(resident_, data, options, pool_, poll, state.problems[p]);
  }
  stats.cancelled = stop_;
  stats.violation = stats.loss = 0;
  std::int64_t passes = 0;
  for (const LinearStats& s : part) {
    stats.violation = std::max(stats.violation, resident() ? s.violation : s.first_violation);
    stats.loss += s.loss;
    stats.steps += s.steps;
    passes = std::max(passes, s.passes);
  }
  stats.passes += passes;
}

void LowRankSolver::solve_in_blocks(const Labelled& data, const LinearOptions& options, int n_passes, BlockState& state,
                                    const std::function<void(const BlockState&)>& after_unit, SolveStats& stats) {
  const auto units = static_cast<Index>(units_.size());
  LinearOptions block = options;
  block.max_rounds = kBlockRounds;
  block.max_passes = std::min(options.max_passes, kBlockPasses);
  block.note_changes = static_cast<bool>(after_unit);
  if (resident_.rows != state.kept) load_kept(state.kept, stats);
  for (; state.pass < n_passes; ++state.pass) {
    std::vector<Index> order = base::index_range(units);
    base::Random random(options.seed + static_cast<std::uint64_t>(state.pass));
    base::shuffle(order, random);
    while (state.unit < units) {
      const Unit& unit = units_[order[state.unit]];
      drop_rows_of(unit);
      load(unit, stats);
      done_ = state.pass * units + state.unit;
      total_ = n_passes * units;
      block.seed = options.seed + static_cast<std::uint64_t>(state.pass * units + state.unit);
      solve_resident(data, block, state, stats);
      state.worst = std::max(state.worst, stats.violation);
      keep_nearest(data, state);
      state.kept = resident_.rows;
      ++state.unit;
      if (after_unit) after_unit(state);
      if (stats.cancelled) break;
    }
    stats.violation = state.worst;
    if (stats.cancelled || state.worst <= options.tol) break;
    state.unit = 0;
    state.worst = 0;
  }
  stats.passes = std::min<Index>(state.pass + 1, n_passes);
  stats.loss = std::numeric_limits<double>::quiet_NaN();  // of other weights
}

SolveStats LowRankSolver::solve(const Labelled& data, const LinearOptions& options, int n_passes, BlockState& state,
                                const std::function<void(const BlockState&)>& after_unit) {
  SolveStats stats;
  stop_ = false;
  stats.units = static_cast<Index>(units_.size());
  for (BinaryState& p : state.problems) {
    p.w.resize(resident_.cols + 1, 0.0);
    p.alpha.resize(source_.rows(), 0.0);
  }
  const auto start = base::Clock::now();
  if (resident()) {
    load_all(stats);
    solve_resident(data, options, state, stats);
  } else {
    solve_in_blocks(data, options, n_passes, state, after_unit, stats);
  }
  stats.seconds = base::seconds_since(start);
  return stats;
}

}  // namespace dcsvm::low_rank
