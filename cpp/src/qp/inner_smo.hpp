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

/// The working set's own problem. A row is K(w_s, w_.), stride ld (a multiple of the vector length, zero padded). Rows that are
/// not in k when the tile begins are computed when a step first needs them: of variables that no step changes no value is
/// computed, nor its memory touched.
template <class T>
class InnerSmo {
 public:
  /// Room for q_max variables, without walks.
  explicit InnerSmo(Index q_max = 0) { make_room(q_max); }
  /// As a new object, in the memory of this one where that is enough.
  void make_room(Index q_max);
  /// Walks (face_walk.hpp) over at most n variables, in at most `bytes`.
  void allow_walks(Index n, std::size_t bytes);
  /// Forgets all rows; those of at most q_max slots, no more than the constructor's, will lie side by side: memory beyond them is
  /// not touched.
  void lay_out(Index q_max);
  std::size_t bytes() const;  ///< of the room that was made, with that of walks

  Index q = 0;          ///< variables in use
  Index ld = 0;
  base::Buffer<T> k;    ///< q_max rows of at most diag.size() values
  base::Buffer<T> diag;
  /// A tile of q variables, before its first solve(): row s of the first `filled` slots is in k at s * ld, `make` gives the
  /// others.
  void begin(Index filled, MakeRows<T> make = {});
  /// The slots keep[0], keep[1], ... (ascending) become 0, 1, ... and the others go.
  void compact(const std::vector<Index>& keep);
  /// Of a slot that a step changed.
  const T* row(Index s) const { return at_[s]; }
  std::vector<double> g, beta, lo, hi;  ///< set by the caller; beta is changed by solve, g is not
  std::vector<std::uint8_t> group;  ///< of the problem (solver.hpp); empty: all 0

  static constexpr Index kSquare = 32;
  /// Rows [begin, end), at most kSquare, get their columns from `first` on out of the rows there: K is symmetric.
  void mirror(Index begin, Index end, Index first);

  struct Outcome {
    std::int64_t steps = 0;
    double gain = 0;  ///< how much steps lowered the objective, by the tile's own gradient
  };
  /// Pairs (sum of beta kept; second-order choice of Fan, Chen and Lin 2005), or without the equality single variables as well,
  /// until the tile's own violation is below tol or max_steps are done.
  Outcome solve(bool pairs, double tol, std::int64_t max_steps, const std::function<void()>& poll);

 private:
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
  bool walk_if_due(bool pairs, double tol, std::int64_t max_steps, Outcome& out, const std::function<void()>& poll);
  bool walk(FreeVariables& free, const std::vector<Index>& slots, std::int64_t max_steps, Outcome& out,
            const std::function<void()>& poll);
  void make_rows(Index s);
  void find_wanted(Index s);
  Index padded() const;
  void pad(Index s);
  void take(const Move& move);
  void load();
  void set_penalties(Index s);
  Outcome solve_pairs(double tol, std::int64_t max_steps, const std::function<void()>& poll);
  Outcome solve_grouped(double tol, std::int64_t max_steps, const std::function<void()>& poll);
  Outcome solve_singles(double tol, std::int64_t max_steps, const std::function<void()>& poll);

  std::size_t group_of(Index s) const { return group.empty() ? 0 : group[s]; }

  MakeRows<T> make_;
  Index n_values_ = 0;      // of k and the arrays beside it, as far as they are room
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
  std::size_t walk_bytes_ = 0;
  double unwalked_ = 0;  // steps since the tile began, or since the last walk
  double patience_ = 1;  // how many times as many steps as it should a walk waits for
  base::Buffer<T> local_g_;
  std::array<base::Buffer<T>, 2> pen_up_, pen_low_;  // by group; those of group 1 are there when it is
};

}  // namespace dcsvm::qp
