// SMO on one tile: the working set's variables with everything in cache.
#pragma once

#include <functional>
#include <vector>

#include "base/buffer.hpp"
#include "simd/ops.hpp"
#include "solver/solver.hpp"

namespace dcsvm::solver {

/// The working set's own problem. Row s of k is K(w_s, w_.), stride ld (a multiple of the vector length, zero padded).
template <class T>
class InnerSmo {
 public:
  /// Room for q variables.
  explicit InnerSmo(Index q_max);
  std::size_t bytes() const;

  Index q = 0;          ///< variables in use
  Index ld = 0;
  base::Buffer<T> k;    ///< q_max x ld
  base::Buffer<T> diag;
  std::vector<double> g, beta, lo, hi;  ///< set by the caller; beta is changed by solve, g is not

  struct Outcome {
    std::int64_t steps = 0;
    double gain = 0;  ///< how much steps lowered the objective, by the tile's own gradient
  };
  /// Pairs (sum of beta kept; second-order choice of Fan et al., JMLR 6, 2005), or without the equality single variables as well,
  /// until the tile's own violation is below tol or max_steps are done.
  Outcome solve(bool pairs, double tol, std::int64_t max_steps, const std::function<void()>& poll);

 private:
  /// beta_i += step, beta_j -= step, which lowers the objective by gain.
  struct Move {
    std::int32_t i = -1, j = -1;
    double step = 0, gain = 0;
  };
  Move pair_move(const simd::Extremes<T>& e, Index padded) const;
  void take(const Move& move);
  void load();
  void set_penalties(Index s);
  Outcome solve_pairs(double tol, std::int64_t max_steps, const std::function<void()>& poll);
  Outcome solve_singles(double tol, std::int64_t max_steps, const std::function<void()>& poll);

  double centre_ = 0;  // subtracted from g so that T keeps its digits where they matter
  base::Buffer<T> local_g_, pen_up_, pen_low_;
};

}  // namespace dcsvm::solver
