// The LS-SVM's system by Cholesky, in double from the kernel values on: 1 / gamma may be less than the rounding of a float.
#include <numeric>

#include "base/vectors.hpp"
#include "least_squares/kernel_cholesky.hpp"
#include "least_squares/ls_solver.hpp"

namespace dcsvm::least_squares {

namespace {

/// a and b from H = Omega + I / gamma: H eta = u, H nu = Y, b = u'nu / u'eta, a = nu - eta b (Suykens, Vandewalle 1999).
void solve_for_bias(LsState& s, const KernelCholesky& h) {
  const Index n = s.matrix.n();
  std::vector<double> eta(n, 1.0), nu;
  for (Index c = 0; c < s.k; ++c) nu.insert(nu.end(), s.z.begin() + c * (n + 1), s.z.begin() + (c + 1) * (n + 1) - 1);
  h.solve(eta.data(), 1);
  h.solve(nu.data(), s.k);
  const double total = std::accumulate(eta.begin(), eta.end(), 0.0);
  for (Index c = 0; c < s.k; ++c) {
    const double* own = nu.data() + c * n;
    const double b = std::accumulate(own, own + n, 0.0) / total;
    double* w = s.result.w.data() + c * (n + 1);
    for (Index i = 0; i < n; ++i) w[i] = own[i] - eta[i] * b;
    w[n] = b;
  }
}

}  // namespace

void ls_cholesky(LsState& s) {
  const Index n = s.matrix.n();
  const std::vector<Index> all = base::index_range(n);
  const auto columns = s.matrix.exact_rows->columns(all.data(), n, kUnlimited, s.matrix.pool);
  const KernelCholesky h(*columns, std::vector<double>(n, 1.0 / s.matrix.gamma), kNotDefinite, s.matrix.pool);
  s.matrix_bytes = h.bytes() + columns->bytes();
  solve_for_bias(s, h);
  s.residual = s.z;
  for (Index c = 0; c < s.k; ++c) {
    const double* w = s.result.w.data() + c * (n + 1);
    double* r = s.residual.data() + c * (n + 1);
    h.subtract_product(w, w[n], r);
    for (Index j = 0; j < n; ++j) r[n] -= w[j];
  }
  s.result.residuals.push_back(s.relative(s.residual));
  s.step_done(s.result.residuals.back());  // the only step: there is nothing left to cancel
  s.result.stop_reason = s.result.residual < s.task.tol ? StopReason::converged : StopReason::stagnated;
}

}  // namespace dcsvm::least_squares
