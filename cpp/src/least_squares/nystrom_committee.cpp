// A committee of Nystrom approximations (Andrecut 2016, Eq. 26 - 28): the mean of the weights that random blocks give alone.
#include <algorithm>
#include <limits>

#include "least_squares/ls_solver.hpp"

namespace dcsvm::least_squares {

namespace {

constexpr double kLargestRidge = 40 * kBlockRidge;  // at most the rounding of a sum of kGramDepth values
constexpr double kRefined = 0.1;                    // what refinement may leave unsolved

/// q = (Theta_s' Theta_s)^-1 q. The factor has a ridge, so that the solution is refined twice, with products in double. Returns
/// the relative error before the last refinement.
double solve_refined(const LsState& s, std::vector<double>& q) {
  const std::vector<double> wanted = q;
  std::vector<double> rest(q.size());
  s.block.solve(q.data(), s.k);
  double left = 0.0;
  for (int round = 0; round < 2; ++round) {
    s.block.project(s.expanded(q).data(), s.k, rest.data());
    for (std::size_t i = 0; i < q.size(); ++i) rest[i] = wanted[i] - rest[i];
    left = norm(rest) / std::max(norm(wanted), std::numeric_limits<double>::min());
    s.block.solve(rest.data(), s.k);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += rest[i];
  }
  return left;
}

/// q of W(t) = Theta_s q. It takes two inverses and no line search: where rounding outweighs the ridge, refinement does not
/// converge and the block gets a larger ridge.
std::vector<double> member(LsState& s) {
  const Index n_regularised = s.result.n_regularised;
  s.load_next_block();
  std::vector<double> projected(s.k * s.block.cols());
  s.block.project(s.z.data(), s.k, projected.data());
  for (double ridge = kBlockRidge;;) {
    std::vector<double> q = projected;
    double left = solve_refined(s, q);
    s.block.multiply_inner(q.data(), s.k);
    left = std::max(left, solve_refined(s, q));
    if (left < kRefined || ridge >= kLargestRidge) return q;
    s.block.factor(ridge *= 8);
    s.result.n_regularised = n_regularised + 1;
  }
}

}  // namespace

void nystrom_committee(LsState& s) {
  std::vector<double> sum(s.z.size(), 0.0);
  for (bool stop = false; !stop;) {
    const std::vector<double> q = member(s);
    s.block.expand(q.data(), s.k, 1.0, sum.data());
    stop = s.step_done(std::numeric_limits<double>::infinity(), false);
  }
  for (std::size_t i = 0; i < sum.size(); ++i) s.result.w[i] = sum[i] / static_cast<double>(s.result.n_iter);
  if (s.result.stop_reason == StopReason::max_iter) s.result.stop_reason = StopReason::converged;  // all T members
}

}  // namespace dcsvm::least_squares
