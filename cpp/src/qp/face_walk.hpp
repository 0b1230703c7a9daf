// Newton steps on the free variables of a tile: those strictly between their bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"

namespace dcsvm::qp {

/// The free variables of a problem of solver.hpp and their part of K. All others keep their values.
struct FreeVariables {
  std::vector<double> k;  ///< size() x size(), column-major; only the lower triangle is read. A walk overwrites it
  std::vector<double> g, beta, lo, hi;  ///< lo < beta < hi
  std::vector<std::uint8_t> group;  ///< the sum of beta over each group is kept
  std::size_t n_groups = 0;  ///< at most 2; 0: no sum is kept

  Index size() const { return static_cast<Index>(g.size()); }
};

/// Steps of pairs, in a tile of q variables, that cost as much as a walk over n free variables begins to be worth.
inline double steps_before_walk(Index n, Index q) {
  const auto size = static_cast<double>(n);
  return 0.5 * size * size * size / static_cast<double>(q);  // measured, tiles of 300 to 2,000 variables
}

/// Bytes that a walk over n variables takes.
inline double bytes_of_walk(Index n) { return sizeof(double) * static_cast<double>(n) * static_cast<double>(n); }

/// Moves free.beta to the largest g'd - d'K d / 2 over all d that keep the sums: one Newton step where no bound is in the way,
/// else to the first bound, where that variable stays, and on from there, until the maximum is reached or max_steps are done.
/// free.g stays as it is. ridge: added to the diagonal of K. Returns the number of steps; 0: K is not positive definite, and
/// nothing has moved. An active set method (Scheinberg 2006, section 3): variables that stay at a bound are taken out of the
/// factor one by one. Throws what pool.poll throws.
Index walk_face(FreeVariables& free, double ridge, std::int64_t max_steps, base::ThreadPool& pool);

}  // namespace dcsvm::qp
