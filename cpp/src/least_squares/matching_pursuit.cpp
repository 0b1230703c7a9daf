// Matching pursuit (Andrecut 2016, Section 3.3; Eq. 56 - 59): fits the residual by the columns of one random block after another.
#include "least_squares/ls_solver.hpp"

namespace dcsvm::least_squares {

namespace {

/// Each class goes as far along its step as lowers its residual most: of rounded products the inverse is rough.
void fit_residual(LsState& s) {
  const Index size = s.block.cols();
  std::vector<double> q(s.k * size);
  s.block.project(s.residual.data(), s.k, q.data());
  s.block.solve(q.data(), s.k);
  const std::vector<double> step = s.expanded(q);
  for (Index c = 0; c < s.k; ++c) {
    const double length = s.best_length(step, c);
    double* w = s.result.w.data() + c * s.rows();
    for (Index i = 0; i + 1 < size; ++i) w[s.block.idx()[i]] += length * q[c * size + i];
    w[s.matrix.n()] += length * q[c * size + size - 1];
    s.add(s.residual, step, -length, c);
  }
}

}  // namespace

void matching_pursuit(LsState& s, void (*before_step)(LsState&)) {
  s.compute_residual();
  s.result.residual = s.relative(s.residual);
  s.result.stop_reason = StopReason::converged;
  bool stop = s.result.residual < s.target;
  while (!stop) {
    s.load_next_block();
    if (before_step != nullptr) before_step(s);
    fit_residual(s);
    s.result.residuals.push_back(s.relative(s.residual));
    stop = s.step_done(s.result.residuals.back());
  }
}

}  // namespace dcsvm::least_squares
