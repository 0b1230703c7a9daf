// Newton steps on the free variables of a tile: those strictly between their bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dcsvm/data.hpp"

namespace dcsvm::qp {

/// The free variables of a problem of solver.hpp and their part of K. All others keep their values.
struct FreeVariables {
  std::vector<double> k;  ///< size() x size(), column-major; only the lower triangle is read. A walk overwrites it
  std::vector<double> g, beta, lo, hi;  ///< lo < beta < hi
  std::vector<std::uint8_t> group;  ///< the sum of beta over each group is kept
  std::size_t n_groups = 0;  ///< at most 2; 0: no sum is kept

  Index size() const { return static_cast<Index>(g.size()); }
};

/// Steps of pairs, in a tile of q variables, after which a walk over n free variables begins to be worth its cost.
inline double steps_before_walk(Index n, Index q) {
  const auto size = static_cast<double>(n);
  return 0.5 * size * size * size / static_cast<double>(q);  // measured, tiles of 300 to 2,000 variables
}

/// Bytes that a walk over n variables takes.
inline double bytes_of_walk(Index n) { return sizeof(double) * static_cast<double>(n) * static_cast<double>(n); }

/// Newton steps of free.beta towards the largest g'd - d'K d / 2, where d is the change of beta and keeps the sums: an active set
/// method (Scheinberg 2006, section 3).
/// - A step that would pass a bound ends at the first one. That variable is fixed there and taken out of the factor, and the next
///   step goes to the maximum over the others.
/// - The walk ends at the maximum over the variables that are still free. This may be below the maximum over the box, because
///   fixed variables stay fixed.
/// - It also ends after max_steps, or when asks_to_stop says true, which is called between pieces of the work and may throw: then
///   beta is where the last whole step led.
/// free.g stays as it is. ridge: added to the diagonal of K. Returns the number of steps; 0: K is not positive definite or the
/// walk was stopped at once, and nothing has moved.
Index walk_face(FreeVariables& free, double ridge, std::int64_t max_steps, const std::function<bool()>& asks_to_stop);

}  // namespace dcsvm::qp
