#include "solver/inner_smo.hpp"

#include <algorithm>
#include <limits>

#include "simd/ops.hpp"

namespace dcsvm::solver {

namespace {
constexpr std::int64_t kPollSteps = 8192;
constexpr double kTau = 1e-12;  // LIBSVM's floor for the curvature of a step
}  // namespace

template <class T>
InnerSmo<T>::InnerSmo(Index q_max) {
  const Index lanes = simd::ops<T>().lanes;
  ld = (q_max + lanes - 1) / lanes * lanes;
  k = base::Buffer<T>(q_max * ld);
  diag = base::Buffer<T>(ld, T(1));
  local_g_ = base::Buffer<T>(ld, T(0));
  pen_up_ = base::Buffer<T>(ld, T(0));
  pen_low_ = base::Buffer<T>(ld, T(0));
  for (auto* v : {&g, &beta, &lo, &hi}) v->resize(static_cast<std::size_t>(q_max));
}

template <class T>
std::size_t InnerSmo<T>::bytes() const {
  return k.bytes() + 4 * diag.bytes() + 4 * g.size() * sizeof(double);
}

template <class T>
void InnerSmo<T>::set_penalties(Index s) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  const auto i = static_cast<std::size_t>(s);
  pen_up_[s] = beta[i] < hi[i] ? T(0) : -inf;
  pen_low_[s] = beta[i] > lo[i] ? T(0) : inf;
}

template <class T>
void InnerSmo<T>::load() {
  constexpr T inf = std::numeric_limits<T>::infinity();
  const Index lanes = simd::ops<T>().lanes, padded = (q + lanes - 1) / lanes * lanes;
  for (Index s = 0; s < q; ++s) {
    local_g_[s] = static_cast<T>(g[static_cast<std::size_t>(s)] - centre_);
    set_penalties(s);
  }
  for (Index s = q; s < padded; ++s) local_g_[s] = 0, pen_up_[s] = -inf, pen_low_[s] = inf, diag[s] = 1;
  if (padded > q) {
    for (Index s = 0; s < q; ++s) std::fill(k.data() + s * ld + q, k.data() + s * ld + padded, T(0));
  }
}

template <class T>
typename InnerSmo<T>::Outcome InnerSmo<T>::solve_pairs(double tol, std::int64_t max_steps, const std::function<void()>& poll) {
  const auto& op = simd::ops<T>();
  const Index padded = (q + op.lanes - 1) / op.lanes * op.lanes;
  Outcome out;
  auto e = op.smo_extremes(local_g_.data(), pen_up_.data(), pen_low_.data(), padded);
  while (out.steps < max_steps && e.up >= 0 && e.low >= 0) {
    if (static_cast<double>(e.up_value) - static_cast<double>(e.low_value) < tol) break;
    const Move move = pair_move(e, padded);
    if (move.j < 0) break;
    take(move);
    out.gain += move.gain;
    e = op.smo_update_pair(local_g_.data(), k.data() + move.i * ld, k.data() + move.j * ld, static_cast<T>(move.step),
                           pen_up_.data(), pen_low_.data(), padded);
    if (++out.steps % kPollSteps == 0) poll();
  }
  return out;
}

// The step along e_i - e_j for the pair that pairs would take, j = -1: none.
template <class T>
typename InnerSmo<T>::Move InnerSmo<T>::pair_move(const simd::Extremes<T>& e, Index padded) const {
  Move move;
  if (e.up < 0 || e.low < 0 || !(e.up_value > e.low_value)) return move;
  const T* ki = k.data() + e.up * ld;
  move.i = e.up;
  move.j = simd::ops<T>().smo_partner(local_g_.data(), ki, diag.data(), pen_low_.data(), e.up_value, diag[e.up], padded);
  if (move.j < 0) return move;
  const auto i = static_cast<std::size_t>(move.i), j = static_cast<std::size_t>(move.j);
  const double difference = static_cast<double>(e.up_value) - static_cast<double>(local_g_[move.j]);
  const double quad = std::max(
      kTau, static_cast<double>(diag[move.i]) + static_cast<double>(diag[move.j]) - 2.0 * static_cast<double>(ki[move.j]));
  const double room_i = hi[i] - beta[i], room_j = beta[j] - lo[j];
  move.step = std::min({difference / quad, room_i, room_j});
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
typename InnerSmo<T>::Outcome InnerSmo<T>::solve_singles(double tol, std::int64_t max_steps, const std::function<void()>& poll) {
  const auto& op = simd::ops<T>();
  const Index padded = (q + op.lanes - 1) / op.lanes * op.lanes;
  T *g = local_g_.data(), *up = pen_up_.data(), *low = pen_low_.data();
  Outcome out;
  T violation = 0;
  std::int32_t s = op.smo_update_single(g, nullptr, T(0), diag.data(), up, low, padded, &violation);
  auto e = op.smo_extremes(g, up, low, padded);
  while (out.steps < max_steps && s >= 0 && static_cast<double>(violation) >= tol) {
    const auto i = static_cast<std::size_t>(s);
    const double gradient = static_cast<double>(g[s]), quad = std::max(kTau, static_cast<double>(diag[s]));
    const double moved = std::clamp(beta[i] + gradient / quad, lo[i], hi[i]), step = moved - beta[i];
    const double gain = step * (gradient - 0.5 * step * quad);
    const Move pair = pair_move(e, padded);
    if (pair.j >= 0 && pair.gain > gain) {
      take(pair);
      out.gain += pair.gain;
      e = op.smo_update_pair(g, k.data() + pair.i * ld, k.data() + pair.j * ld, static_cast<T>(pair.step), up, low, padded);
      s = op.smo_update_single(g, nullptr, T(0), diag.data(), up, low, padded, &violation);
    } else {
      beta[i] = moved;
      set_penalties(s);
      out.gain += gain;
      s = op.smo_update_single(g, k.data() + s * ld, static_cast<T>(step), diag.data(), up, low, padded, &violation);
      e = op.smo_extremes(g, up, low, padded);
    }
    if (++out.steps % kPollSteps == 0) poll();
  }
  return out;
}

template <class T>
typename InnerSmo<T>::Outcome InnerSmo<T>::solve(bool pairs, double tol, std::int64_t max_steps,
                                                 const std::function<void()>& poll) {
  centre_ = 0;
  if (pairs) {
    double up = -std::numeric_limits<double>::infinity(), low = -up;
    for (std::size_t s = 0; s < static_cast<std::size_t>(q); ++s) {
      if (beta[s] < hi[s]) up = std::max(up, g[s]);
      if (beta[s] > lo[s]) low = std::min(low, g[s]);
    }
    if (!(up > low)) return {};
    centre_ = 0.5 * (up + low);
  }
  load();
  return pairs ? solve_pairs(tol, max_steps, poll) : solve_singles(tol, max_steps, poll);
}

template class InnerSmo<float>;
template class InnerSmo<double>;

}  // namespace dcsvm::solver
