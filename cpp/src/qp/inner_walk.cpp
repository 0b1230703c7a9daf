// Walks of the inner SMO: where C is large and classes overlap, steps of pairs undo each other by the million, and one factor of
// the free variables' part of K is cheaper.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "qp/face_walk.hpp"
#include "qp/inner_smo.hpp"
#include "simd/ops.hpp"

namespace dcsvm::qp {

namespace {
constexpr double kWorth = 0.5;             // of tol: free variables that violate less are solved
constexpr double kRidge = 4.0;             // roundings of the largest K(x, x), for each free variable
constexpr double kMorePatience = 2.0;      // after a walk that gained nothing
}  // namespace

// True: beta and the gradient are new.
template <class T>
bool InnerSmo<T>::walk_if_due(Run& run) {
  unwalked_ += kLookEvery;
  std::vector<Index> slots;
  // Without the equality a gradient of 0 is the aim; with it, one that all of a group have.
  std::array<T, 2> most{}, least{};
  if (run.pairs) most.fill(-std::numeric_limits<T>::infinity()), least.fill(std::numeric_limits<T>::infinity());
  for (Index s = 0; s < q; ++s) {
    if (!(beta[s] > lo[s] && beta[s] < hi[s])) continue;
    const std::size_t c = group_of(s);
    slots.push_back(s);
    most[c] = std::max(most[c], local_g_[s]);
    least[c] = std::min(least[c], local_g_[s]);
  }
  const auto f = static_cast<Index>(slots.size());
  if (f < 2 || bytes_of_walk(f) > static_cast<double>(walk_bytes_)) return false;
  if (unwalked_ < patience_ * steps_before_walk(f, q)) return false;
  unwalked_ = 0;
  double violation = 0;
  for (std::size_t c = 0; c < 2; ++c) {
    const auto up = static_cast<double>(most[c]), low = static_cast<double>(least[c]);
    violation = std::max(violation, run.pairs ? up - low : std::max(up, -low));
  }
  if (violation < kWorth * run.tol) return false;
  if (walk(slots, run)) return true;
  patience_ *= kMorePatience;
  return false;
}

template <class T>
bool InnerSmo<T>::walk(const std::vector<Index>& slots, Run& run) {
  FreeVariables free;
  free.n_groups = run.pairs ? (group.empty() ? 1 : 2) : 0;
  const auto f = static_cast<Index>(slots.size());
  double largest = 0;
  walk_peak_ = std::max(walk_peak_, static_cast<std::size_t>(bytes_of_walk(f)));
  free.k.resize(static_cast<std::size_t>(f * f));
  for (Index c = 0; c < f; ++c) {
    const Index s = slots[c];
    const T* row = need(s);
    for (Index r = c; r < f; ++r) free.k[c * f + r] = static_cast<double>(row[slots[r]]);
    largest = std::max(largest, free.k[c * f + c]);
    free.g.push_back(static_cast<double>(local_g_[s]));
    free.beta.push_back(beta[s]);
    free.lo.push_back(lo[s]);
    free.hi.push_back(hi[s]);
    free.group.push_back(static_cast<std::uint8_t>(group_of(s)));
  }
  const double ridge = kRidge * static_cast<double>(f) * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest;
  const Index steps = walk_face(free, ridge, run.max_steps - run.out.steps, [&run] { return run.asks_to_stop(); });
  std::vector<double> minus_moved, change(static_cast<std::size_t>(q), 0.0);
  std::vector<const T*> rows;
  for (Index r = 0; r < f; ++r) {
    minus_moved.push_back(beta[slots[r]] - free.beta[r]);
    rows.push_back(at_[slots[r]]);
  }
  simd::ops<T>().accumulate(minus_moved.data(), rows.data(), f, 0, q, change.data());
  double gain = 0;
  for (Index r = 0; r < f; ++r) gain -= minus_moved[r] * (free.g[r] + 0.5 * change[slots[r]]);
  if (!(gain > 0)) return false;  // rounding is all that was left, or there was no step
  for (Index r = 0; r < f; ++r) {
    beta[slots[r]] = free.beta[r];
    set_penalties(slots[r]);
  }
  for (Index s = 0; s < q; ++s) local_g_[s] = static_cast<T>(static_cast<double>(local_g_[s]) + change[s]);
  run.out.steps += steps;
  run.out.gain += gain;
  return true;
}

template bool InnerSmo<float>::walk_if_due(Run&);
template bool InnerSmo<double>::walk_if_due(Run&);

}  // namespace dcsvm::qp
