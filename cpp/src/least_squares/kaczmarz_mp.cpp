// The hybrid of block Kaczmarz and matching pursuit (Andrecut 2016, Section 3.4): a step of each on the same block.
#include "least_squares/ls_solver.hpp"

namespace dcsvm::least_squares {

namespace {

/// A step in the direction of block Kaczmarz, for each class as long as lowers its residual most. (At full length it would lower
/// the distance to the solution instead; matching pursuit and it would undo each other's work and diverge.)
void kaczmarz_with_line_search(LsState& s) {
  std::vector<double> q = s.block.pick(s.residual.data(), s.k);
  s.block.solve(q.data(), s.k);
  const std::vector<double> direction = s.expanded(q);
  std::vector<Index> idx = s.block.idx();
  std::vector<double> step(direction.size(), 0.0);
  s.add_product(direction, 1.0, step);
  s.block.load(std::move(idx));
  for (Index c = 0; c < s.k; ++c) {
    const double length = s.best_length(step, c);
    s.add(s.result.w, direction, length, c);
    s.add(s.residual, step, -length, c);
  }
}

}  // namespace

void kaczmarz_mp(LsState& s) { matching_pursuit(s, kaczmarz_with_line_search); }

}  // namespace dcsvm::least_squares
