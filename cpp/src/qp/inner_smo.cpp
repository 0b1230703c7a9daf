#include "qp/inner_smo.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "simd/ops.hpp"

namespace dcsvm::qp {

namespace {
constexpr double kTau = 1e-12;  // LIBSVM's floor for the curvature of a step: of the largest K(x, x) where that is below 1
constexpr Index kFewRows = 8;  // computed together at least: those of one strip of a kernel tile
constexpr Index kGrowth = 4;   // and, where all rows that were computed were needed, one for every four of them
// Two groups: steps stay in one until its violation has fallen to this share of what it was.
constexpr double kGroupShare = 0.9;

// An odd number of vectors: rows a power of two apart would share cache sets.
template <class T>
Index distance_of_rows(Index q_max) {
  const Index lanes = simd::ops<T>().lanes;
  return ((q_max + lanes - 1) / lanes | 1) * lanes;
}
}  // namespace

template <class T>
void InnerSmo<T>::make_room(Index q_max) {
  walk_bytes_ = walk_peak_ = 0;
  lay_out(q_max);
  const auto at_least = [](base::Buffer<T>& values, Index n) {
    if (values.size() < n) values = base::Buffer<T>(n);
  };
  at_least(k, q_max * ld);
  for (auto* values : {&diag, &local_g_, &pen_up_[0], &pen_low_[0]}) at_least(*values, ld);
  for (auto* v : {&g, &beta, &lo, &hi}) v->resize(q_max);
  made_bytes_ = bytes_of(q_max);
  group.clear();
}

template <class T>
void InnerSmo<T>::allow_walks(Index n, std::size_t bytes) {
  walk_bytes_ = std::min(bytes, static_cast<std::size_t>(bytes_of_walk(n)));
  walk_peak_ = 0;
}

template <class T>
void InnerSmo<T>::lay_out(Index q_max) {
  ld = distance_of_rows<T>(q_max);
}

template <class T>
std::size_t InnerSmo<T>::bytes_of(Index q_max) {
  const auto q = static_cast<std::size_t>(q_max);
  return (q + 4) * static_cast<std::size_t>(distance_of_rows<T>(q_max)) * sizeof(T) + 4 * q * sizeof(double);
}

// Squares of the tile are transposed through a buffer. Rows of the tile are a power of two apart and would share sets of L1;
// those of the buffer are not.
template <class T>
void InnerSmo<T>::mirror(Index begin, Index end, Index first) {
  constexpr Index kWide = kSquare + 16 / static_cast<Index>(sizeof(T));
  T square[kSquare * kWide];
  for (Index from = first; from < q; from += kSquare) {
    const Index m = std::min(kSquare, q - from), n = end - begin;
    for (Index t = 0; t < m; ++t) std::copy_n(k.data() + (from + t) * ld + begin, n, square + t * kWide);
    for (Index s = 0; s < n; ++s) {
      T* to = k.data() + (begin + s) * ld + from;
      for (Index t = 0; t < m; ++t) to[t] = square[t * kWide + s];
    }
  }
}

template <class T>
Index InnerSmo<T>::padded() const {
  const Index lanes = simd::ops<T>().lanes;
  return (q + lanes - 1) / lanes * lanes;
}

template <class T>
void InnerSmo<T>::pad(Index s) {
  std::fill(at_[s] + q, at_[s] + padded(), T(0));
}

template <class T>
void InnerSmo<T>::begin(Index filled, MakeRows<T> make) {
  make_ = std::move(make);
  at_.assign(static_cast<std::size_t>(q), nullptr);
  for (Index s = 0; s < filled; ++s) at_[s] = k.data() + s * ld, pad(s);
  unused_.clear();
  places_ = made_ = filled;
  needed_ = 0;
  unwalked_ = 0;
  patience_ = 1;
  was_needed_.assign(static_cast<std::size_t>(q), 0);
}

template <class T>
void InnerSmo<T>::compact(const std::vector<Index>& keep) {
  q = static_cast<Index>(keep.size());
  std::vector<T*> kept;
  kept.reserve(keep.size());
  for (const Index s : keep) {
    T* row = std::exchange(at_[s], nullptr);
    for (Index t = 0; row != nullptr && t < q; ++t) row[t] = row[keep[t]];
    kept.push_back(row);
    diag[static_cast<Index>(kept.size()) - 1] = diag[s];
  }
  for (T* row : at_) {
    if (row != nullptr) unused_.push_back(row);
  }
  at_ = std::move(kept);
  was_needed_.assign(keep.size(), 0);
  for (Index s = 0; s < q; ++s) {
    if (at_[s] != nullptr) pad(s);
  }
}

namespace {

// The `count` slots with the largest values above a floor, of slots that come one after another.
template <class T>
class Worst {
 public:
  Worst(std::size_t count, T floor) : count_(count), floor_(floor) {}
  void see(T value, Index slot) {
    if (!(value > floor_)) return;
    const auto more = [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; };
    if (kept_.size() == count_) {
      std::pop_heap(kept_.begin(), kept_.end(), more);
      kept_.pop_back();
    }
    kept_.emplace_back(value, slot);
    std::push_heap(kept_.begin(), kept_.end(), more);
    if (kept_.size() == count_) floor_ = kept_.front().first;
  }
  void append_to(std::vector<Index>& slots) const {
    for (const auto& [value, slot] : kept_) slots.push_back(slot);
  }

 private:
  std::size_t count_;
  T floor_;
  std::vector<std::pair<T, Index>> kept_;  // a heap: the least of them is in front
};

}  // namespace

// All slots without a row where they are few; else slot s, and of the others those that violate most: steps will need them next,
// the more likely the more of the rows that were made so far were needed.
template <class T>
void InnerSmo<T>::find_wanted(Index s) {
  const auto half = static_cast<std::size_t>(std::max(kFewRows, (2 * needed_ - made_) / kGrowth) / 2);
  wanted_.clear();
  if (std::count(at_.begin(), at_.end(), nullptr) <= kFewRows) {
    for (Index t = 0; t < q; ++t) {
      if (at_[t] == nullptr) wanted_.push_back(t);
    }
    return;
  }
  wanted_.push_back(s);
  for (std::size_t c = 0; c < (group.empty() ? 1 : 2); ++c) {
    Worst<T> up(half, seen_[c].low_value), low(half, -seen_[c].up_value);
    const T *g_now = local_g_.data(), *pen_up = pen_up_[c].data(), *pen_low = pen_low_[c].data();
    for (Index t = 0; t < q; ++t) {
      if (at_[t] != nullptr || t == s) continue;
      up.see(g_now[t] + pen_up[t], t);
      low.see(-(g_now[t] + pen_low[t]), t);
    }
    up.append_to(wanted_);
    low.append_to(wanted_);
  }
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
}

template <class T>
void InnerSmo<T>::make_rows(Index s) {
  find_wanted(s);
  out_.clear();
  for (std::size_t r = 0; r < wanted_.size(); ++r) {
    out_.push_back(unused_.empty() ? k.data() + places_++ * ld : unused_.back());
    if (!unused_.empty()) unused_.pop_back();
  }
  made_ += static_cast<Index>(wanted_.size());
  make_(wanted_, out_.data());
  for (std::size_t r = 0; r < wanted_.size(); ++r) at_[wanted_[r]] = out_[r], pad(wanted_[r]);
}

template <class T>
void InnerSmo<T>::set_penalties(Index s) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  const auto i = static_cast<std::size_t>(s);
  const std::size_t c = group_of(s);
  pen_up_[c][s] = beta[i] < hi[i] ? T(0) : -inf;
  pen_low_[c][s] = beta[i] > lo[i] ? T(0) : inf;
}

template <class T>
void InnerSmo<T>::load() {
  constexpr T inf = std::numeric_limits<T>::infinity();
  const Index padded = this->padded();
  for (std::size_t c = 0; c < (group.empty() ? 1 : 2); ++c) {
    if (pen_up_[c].size() < diag.size()) pen_up_[c] = base::Buffer<T>(diag.size()), pen_low_[c] = base::Buffer<T>(diag.size());
    const Index from = group.empty() ? q : 0;  // the other group's variables count as padding
    std::fill(pen_up_[c].data() + from, pen_up_[c].data() + padded, -inf);
    std::fill(pen_low_[c].data() + from, pen_low_[c].data() + padded, inf);
  }
  double largest = 0;
  for (Index s = 0; s < q; ++s) {
    local_g_[s] = static_cast<T>(g[s] - centre_[group_of(s)]);
    set_penalties(s);
    largest = std::max(largest, static_cast<double>(diag[s]));
  }
  tau_ = kTau * (largest > 0 ? std::min(largest, 1.0) : 1.0);
  for (Index s = q; s < padded; ++s) local_g_[s] = 0, diag[s] = 1;
}

template <class T>
simd::Extremes<T> InnerSmo<T>::extremes(std::size_t c) const {
  return simd::ops<T>().smo_extremes(local_g_.data(), pen_up_[c].data(), pen_low_[c].data(), padded());
}

template <class T>
void InnerSmo<T>::solve_pairs(Run& run) {
  const auto& op = simd::ops<T>();
  const Index padded = this->padded();
  auto e = extremes();
  while (run.goes_on() && e.up >= 0 && e.low >= 0) {
    if (static_cast<double>(e.up_value) - static_cast<double>(e.low_value) < run.tol) break;
    const Move move = pair_move(e, padded);
    if (move.j < 0) break;
    take(move);
    run.out.gain += move.gain;
    e = op.smo_update_pair(local_g_.data(), need(move.i), need(move.j), static_cast<T>(move.step), pen_up_[0].data(),
                           pen_low_[0].data(), padded);
    if (end_step(run)) e = extremes();
  }
}

// Two groups: pair moves of the group that violates more, or of the other where it has none, until the violation has fallen by a
// tenth; then they are compared again. A step looks at one group; the other's gradients change meanwhile.
template <class T>
void InnerSmo<T>::solve_grouped(Run& run) {
  const auto& op = simd::ops<T>();
  const Index padded = this->padded();
  const auto violation = [&](std::size_t c) {
    if (seen_[c].up < 0 || seen_[c].low < 0) return 0.0;
    return static_cast<double>(seen_[c].up_value) - static_cast<double>(seen_[c].low_value);
  };
  const auto makes_steps = [&](std::size_t c) {
    const std::int64_t before = run.out.steps;
    const double enough = std::max(run.tol, kGroupShare * violation(c));
    while (violation(c) >= enough && run.goes_on()) {
      const Move move = pair_move(seen_[c], padded, c);
      if (move.j < 0) break;
      take(move);
      run.out.gain += move.gain;
      seen_[c] = op.smo_update_pair(local_g_.data(), need(move.i), need(move.j), static_cast<T>(move.step), pen_up_[c].data(),
                                    pen_low_[c].data(), padded);
      if (end_step(run)) return true;
    }
    return run.out.steps > before;
  };
  for (bool moved = true; moved && run.goes_on();) {
    for (std::size_t c = 0; c < 2; ++c) seen_[c] = extremes(c);
    const std::size_t worse = violation(0) >= violation(1) ? 0 : 1;
    moved = makes_steps(worse) || makes_steps(1 - worse);
  }
}

// The step along e_i - e_j for the pair of group c that the second-order rule chooses; j = -1: none.
template <class T>
typename InnerSmo<T>::Move InnerSmo<T>::pair_move(const simd::Extremes<T>& e, Index padded, std::size_t c) {
  Move move;
  seen_[c] = e;
  if (e.up < 0 || e.low < 0 || !(e.up_value > e.low_value)) return move;
  const T* ki = need(e.up);
  move.i = e.up;
  move.j = simd::ops<T>().smo_partner(local_g_.data(), ki, diag.data(), pen_low_[c].data(), e.up_value, diag[e.up],
                                      static_cast<T>(tau_), padded);
  if (move.j < 0) return move;
  const auto i = static_cast<std::size_t>(move.i), j = static_cast<std::size_t>(move.j);
  const double difference = static_cast<double>(e.up_value) - static_cast<double>(local_g_[move.j]);
  const double quad = std::max(
      tau_, static_cast<double>(diag[move.i]) + static_cast<double>(diag[move.j]) - 2.0 * static_cast<double>(ki[move.j]));
  const double room_i = hi[i] - beta[i], room_j = beta[j] - lo[j];
  move.step = std::min(std::min(difference / quad, room_i), room_j);
  move.gain = move.step * (difference - 0.5 * move.step * quad);
  return move;
}

template <class T>
void InnerSmo<T>::take(const Move& move) {
  const auto i = static_cast<std::size_t>(move.i), j = static_cast<std::size_t>(move.j);
  beta[i] = move.step == hi[i] - beta[i] ? hi[i] : beta[i] + move.step;
  beta[j] = move.step == beta[j] - lo[j] ? lo[j] : beta[j] - move.step;
  set_penalties(move.i);
  set_penalties(move.j);
}

// Without the equality constraint: the better of a step of one variable and of a pair. Among highly correlated variables single
// steps alone undo each other (20 times as many on a noisy checkerboard).
template <class T>
void InnerSmo<T>::solve_singles(Run& run) {
  const auto& op = simd::ops<T>();
  const Index padded = this->padded();
  T *g = local_g_.data(), *up = pen_up_[0].data(), *low = pen_low_[0].data();
  T violation = 0;
  // Takes step * row from the gradient; returns the variable whose step gains most then.
  const auto update = [&](const T* row, T step) {
    return op.smo_update_single(g, row, step, diag.data(), up, low, static_cast<T>(tau_), padded, &violation);
  };
  std::int32_t s = update(nullptr, T(0));
  auto e = extremes();
  while (run.goes_on() && s >= 0 && static_cast<double>(violation) >= run.tol) {
    const auto i = static_cast<std::size_t>(s);
    const double gradient = static_cast<double>(g[s]), quad = std::max(tau_, static_cast<double>(diag[s]));
    const double moved = std::clamp(beta[i] + gradient / quad, lo[i], hi[i]), step = moved - beta[i];
    const double gain = step * (gradient - 0.5 * step * quad);
    const Move pair = pair_move(e, padded);
    if (pair.j >= 0 && pair.gain > gain) {
      take(pair);
      run.out.gain += pair.gain;
      e = op.smo_update_pair(g, need(pair.i), need(pair.j), static_cast<T>(pair.step), up, low, padded);
      s = update(nullptr, T(0));
    } else {
      beta[i] = moved;
      set_penalties(s);
      run.out.gain += gain;
      s = update(need(s), static_cast<T>(step));
      e = extremes();
    }
    if (end_step(run)) {
      s = update(nullptr, T(0));
      e = extremes();
    }
  }
}

template <class T>
typename InnerSmo<T>::Outcome InnerSmo<T>::solve(bool pairs, double tol, std::int64_t max_steps,
                                                 const std::function<bool()>& asks_to_stop) {
  centre_ = {};
  if (pairs) {
    std::array<double, 2> up{-HUGE_VAL, -HUGE_VAL}, low{HUGE_VAL, HUGE_VAL};
    for (std::size_t s = 0; s < static_cast<std::size_t>(q); ++s) {
      const std::size_t c = group.empty() ? 0 : group[s];
      if (beta[s] < hi[s]) up[c] = std::max(up[c], g[s]);
      if (beta[s] > lo[s]) low[c] = std::min(low[c], g[s]);
    }
    if (!(up[0] > low[0]) && !(up[1] > low[1])) return {};
    for (std::size_t c = 0; c < 2; ++c) {
      if (std::isfinite(up[c]) && std::isfinite(low[c])) centre_[c] = 0.5 * (up[c] + low[c]);
    }
  }
  load();
  Run run{pairs, tol, max_steps, asks_to_stop};
  if (!pairs) {
    solve_singles(run);
  } else if (group.empty()) {
    solve_pairs(run);
  } else {
    solve_grouped(run);
  }
  return run.out;
}

template class InnerSmo<float>;
template class InnerSmo<double>;

}  // namespace dcsvm::qp
