// The LS-SVM's system by Cholesky, in double from the kernel values on: 1 / gamma may be less than the rounding of a float.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/vectors.hpp"
#include "dcsvm/errors.hpp"
#include "least_squares/kernel_cholesky.hpp"
#include "least_squares/ls_solver.hpp"

namespace dcsvm::least_squares {

namespace {

/// Adds a and b of the residual R to W. H = Omega + I / gamma: H eta = u, H nu = R, b = u'nu / u'eta, a = nu - eta b (Suykens,
/// Vandewalle 1999).
void solve_for_bias(LsState& s, const KernelCholesky& h) {
  const Index n = s.matrix.n();
  std::vector<double> eta(n, 1.0), nu;
  for (Index c = 0; c < s.k; ++c)
    nu.insert(nu.end(), s.residual.begin() + c * (n + 1), s.residual.begin() + (c + 1) * (n + 1) - 1);
  h.solve(eta.data(), 1);
  h.solve(nu.data(), s.k);
  const double total = std::accumulate(eta.begin(), eta.end(), 0.0);
  for (Index c = 0; c < s.k; ++c) {
    const double* own = nu.data() + c * n;
    const double b = std::accumulate(own, own + n, 0.0) / total;
    double* w = s.result.w.data() + c * (n + 1);
    for (Index i = 0; i < n; ++i) w[i] += own[i] - eta[i] * b;
    w[n] += b;
  }
}

/// residual = Z - Theta W.
void form_residual(LsState& s, const KernelCholesky& h) {
  const Index n = s.matrix.n();
  s.residual = s.z;
  for (Index c = 0; c < s.k; ++c) {
    const double* w = s.result.w.data() + c * (n + 1);
    double* r = s.residual.data() + c * (n + 1);
    h.subtract_product(w, w[n], r);
    for (Index j = 0; j < n; ++j) r[n] -= w[j];
  }
}

}  // namespace

void ls_cholesky(LsState& s) {
  const Index n = s.matrix.n();
  const std::vector<Index> all = base::index_range(n);
  const auto columns = s.matrix.exact_rows.columns(all.data(), n, kUnlimited, s.matrix.pool);
  const KernelCholesky h(*columns, std::vector<double>(n, 1.0 / s.matrix.gamma), DataError(kNotDefinite), s.matrix.pool);
  s.matrix_bytes = h.bytes() + columns->bytes();
  std::fill(s.result.w.begin(), s.result.w.end(), 0.0);  // a start would only bring its own rounding
  s.residual = s.z;
  double residual = std::numeric_limits<double>::infinity(), last = residual;
  do {
    solve_for_bias(s, h);
    form_residual(s, h);
    last = std::exchange(residual, s.relative(s.residual));
  } while (residual >= s.task.tol && residual < 0.5 * last);
  s.result.residuals.push_back(residual);
  s.step_done(residual, true, true);  // the only step: there is nothing left to cancel
  s.result.stop_reason = residual < s.task.tol ? StopReason::converged : StopReason::stagnated;
}

}  // namespace dcsvm::least_squares
