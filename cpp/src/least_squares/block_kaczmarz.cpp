// Block Kaczmarz (Andrecut 2016, Section 3.2; Eq. 39, 47): projects W onto the solutions of one random block of equations after
// another.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "least_squares/ls_solver.hpp"

namespace dcsvm::least_squares {

namespace {

/// W += Theta_s' (Theta_s Theta_s')^-1 (Z_s - Theta_s W). The inverse is of rounded products, so that a full step may lead away
/// from the solution: a shorter one is made where that brings W nearest to it. (Never a longer one: it would overshoot in all
/// directions that the ridge did not shorten.) Returns |Z_s - Theta_s W| before the step.
double project(LsState& s) {
  const Index size = s.block.cols();
  std::vector<double> q(s.k * size), missing = s.block.pick(s.z.data(), s.k);
  s.block.project(s.result.w.data(), s.k, q.data());  // Theta is symmetric: its rows are its columns
  for (std::size_t i = 0; i < q.size(); ++i) missing[i] -= q[i];
  q = missing;
  s.block.solve(q.data(), s.k);
  const std::vector<double> step = s.expanded(q);
  for (Index c = 0; c < s.k; ++c) {
    // <step, W* - W> = <q, Theta_s (W* - W)> = <q, Z_s - Theta_s W>
    const double gain = std::inner_product(q.begin() + c * size, q.begin() + (c + 1) * size, missing.begin() + c * size, 0.0);
    const double square = s.dot(step, step, c);
    if (square > 0.0) s.add(s.result.w, step, std::min(1.0, gain / square), c);
  }
  return norm(missing);
}

}  // namespace

/// What the last pass over the blocks saw estimates the residual. Once that is below tol, the residual itself is computed, once a
/// pass, and decides.
void block_kaczmarz(LsState& s) {
  const auto pass = static_cast<std::size_t>(s.matrix.n() / s.task.block_size);
  std::vector<double> squares;  // of each step's |Z_s - Theta_s W|
  std::size_t next_check = pass;
  for (bool stop = false; !stop;) {
    s.load_next_block();
    squares.push_back(std::pow(project(s), 2));
    const std::size_t t = squares.size(), last = std::min(t, pass);
    const double share = static_cast<double>(last) / static_cast<double>(pass);
    const double sum = std::accumulate(squares.end() - static_cast<std::ptrdiff_t>(last), squares.end(), 0.0);
    double residual = std::sqrt(sum / share) / s.z_norm;
    const bool check = residual < s.target && (t >= next_check || static_cast<Index>(t) >= s.task.n_iter);
    if (check) {
      next_check = t + pass;
      s.w_is_zero = s.residual_is_exact = false;
      s.compute_residual();
      residual = s.relative(s.residual);
    }
    s.result.residuals.push_back(residual);
    stop = s.step_done(residual, check, check);
  }
}

}  // namespace dcsvm::least_squares
