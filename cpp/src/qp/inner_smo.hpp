// SMO on one tile: the working set's variables with everything in cache.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/buffer.hpp"
#include "qp/face_walk.hpp"
#include "qp/solver.hpp"
#include "simd/ops.hpp"

namespace dcsvm::qp {

/// Computes rows of a tile: out[r][t] = K(slots[r], t) for every slot t.
template <class T>
using MakeRows = std::function<void(const std::vector<Index>& slots, T* const* out)>;

/// The problem of the variables on one tile: a working set, or all active variables. Row s is K(w_s, w_t) for every slot t, zero
/// padded to ld values. Rows that are not in k when the tile begins are computed when a step first needs them: of a variable that
/// no step changes no row is computed, and the row's memory is not touched.
template <class T>
class InnerSmo {
 public:
  /// Has room for q_max variables and makes no walks.
  explicit InnerSmo(Index q_max = 0) { make_room(q_max); }
  /// Makes this as a new object, in the memory that it has where that is enough.
  void make_room(Index q_max);
  /// Allows walks (face_walk.hpp) over at most n variables, each in at most `bytes`.
  void allow_walks(Index n, std::size_t bytes);
  /// Rows are invalid until begin(). The rows of the next tile, of at most q_max slots, no more than room was made for, will lie
  /// side by side: memory beyond them is not touched.
  void lay_out(Index q_max);
  /// Of a tile with room for q_max variables.
  static std::size_t bytes_of(Index q_max);
  /// Of the room that was made, with that of the largest walk since walks were allowed.
  std::size_t bytes() const { return made_bytes_ + walk_peak_; }

  Index q = 0;          ///< variables in use
  Index ld = 0;         ///< distance of two rows in k: a multiple of the vector length
  base::Buffer<T> k;    ///< q_max rows of at most diag.size() values
  base::Buffer<T> diag;
  /// To be called for each new tile of q variables, before its first solve(): row s of the first `filled` slots is in k at
  /// s * ld, `make` gives the others.
  void begin(Index filled, MakeRows<T> make = {});
  /// The slots keep[0], keep[1], ... (ascending) become the slots 0, 1, ... and the others are forgotten.
  void compact(const std::vector<Index>& keep);
  /// The row of a slot that a step changed.
  const T* row(Index s) const { return at_[s]; }
  std::vector<double> g, beta, lo, hi;  ///< set by the caller; beta is changed by solve, g is not
  std::vector<std::uint8_t> group;  ///< of the problem (solver.hpp); empty: all 0

  static constexpr Index kSquare = 32;
  /// Fills the columns from `first` on of the rows [begin, end), at most kSquare, out of the rows from `first` on: K is
  /// symmetric.
  void mirror(Index begin, Index end, Index first);

  struct Outcome {
    std::int64_t steps = 0;
    double gain = 0;  ///< how much steps lowered the objective, by the tile's own gradient
  };
  /// Steps of pairs, which keep the sum of beta (second-order choice of Fan, Chen and Lin 2005), or without `pairs` of single
  /// variables as well, until the tile's own violation is below tol, max_steps are done, or asks_to_stop says true. That is asked
  /// now and then, also within a walk, and may throw.
  Outcome solve(bool pairs, double tol, std::int64_t max_steps, const std::function<bool()>& asks_to_stop);
  /// A walk is considered whenever one solve() has taken so many more steps of the SMO.
  static constexpr std::int64_t kLookEvery = 1024;
  static constexpr std::int64_t kPollSteps = 8192;  ///< steps of the SMO from one time that asks_to_stop is called to the next

 private:
  /// One call of solve().
  struct Run {
    bool pairs;
    double tol;
    std::int64_t max_steps;
    const std::function<bool()>& host;
    Outcome out{};
    std::int64_t smo_steps = 0;  // without those of walks
    bool stopped = false;

    bool asks_to_stop() { return stopped = stopped || host(); }
    bool goes_on() const { return !stopped && out.steps < max_steps; }
  };
  /// beta_i += step, beta_j -= step, which lowers the objective by gain.
  struct Move {
    std::int32_t i = -1, j = -1;
    double step = 0, gain = 0;
  };
  Move pair_move(const simd::Extremes<T>& e, Index padded, std::size_t c = 0);
  const T* need(Index s) {
    if (at_[s] == nullptr) make_rows(s);
    if (was_needed_[s] == 0) was_needed_[s] = 1, ++needed_;
    return at_[s];
  }
  /// To be called after each step. True: a walk followed, beta and the gradient are new.
  bool end_step(Run& run) {
    ++run.out.steps;
    if (++run.smo_steps % kPollSteps == 0) run.asks_to_stop();
    return run.smo_steps % kLookEvery == 0 && run.goes_on() && walk_if_due(run);
  }
  bool walk_if_due(Run& run);
  bool walk(const std::vector<Index>& slots, Run& run);
  void make_rows(Index s);
  void find_wanted(Index s);
  Index padded() const;
  void pad(Index s);
  void take(const Move& move);
  void load();
  void set_penalties(Index s);
  simd::Extremes<T> extremes(std::size_t c = 0) const;
  void solve_pairs(Run& run);
  void solve_grouped(Run& run);
  void solve_singles(Run& run);

  std::size_t group_of(Index s) const { return group.empty() ? 0 : group[s]; }

  MakeRows<T> make_;
  std::size_t made_bytes_ = 0;  // of k and the arrays beside it, as far as they are room
  std::vector<T*> at_;      // by slot; null: not computed yet
  std::vector<Index> wanted_;  // rows to be made, and their places
  std::vector<T*> out_;
  std::vector<T*> unused_;  // places of rows that went
  Index places_ = 0;        // of k, that were ever used
  Index made_ = 0, needed_ = 0;  // rows
  std::vector<std::uint8_t> was_needed_;
  std::array<simd::Extremes<T>, 2> seen_{};  // by group: what its next step begins with
  std::array<double, 2> centre_{};  // by group: subtracted from g, so that T keeps the digits of differences
  double tau_ = 0;  // least curvature of a step
  std::size_t walk_bytes_ = 0;  // that a walk may take
  std::size_t walk_peak_ = 0;   // that one took
  double unwalked_ = 0;  // steps of the SMO since a walk was last due, in whole kLookEvery of a solve()
  double patience_ = 1;  // a walk waits for so many times steps_before_walk() steps; doubled by each walk that gained nothing
  base::Buffer<T> local_g_;
  std::array<base::Buffer<T>, 2> pen_up_, pen_low_;  // by group; those of group 1 are there when it is
};

}  // namespace dcsvm::qp
