// The LS-SVM's system by conjugate gradients on the null space of the bias constraint: with P v = v - mean(v), P H P a = P Y has
// the a of Andrecut (2016), Eq. (16), whose sum is 0, and b = mean(Y - H a). One product with Theta serves all classes.
#include <algorithm>
#include <numeric>
#include <utility>

#include "dcsvm/errors.hpp"
#include "least_squares/ls_solver.hpp"

namespace dcsvm::least_squares {

namespace {

/// P v for each class, with 0 for the bias.
void centre(const LsState& s, std::vector<double>& v) {
  const Index n = s.matrix.n();
  for (Index c = 0; c < s.k; ++c) {
    double* own = v.data() + c * s.rows();
    const double mean = std::accumulate(own, own + n, 0.0) / static_cast<double>(n);
    for (Index i = 0; i < n; ++i) own[i] -= mean;
    own[n] = 0.0;
  }
}

/// One step for class c: a, the residual r and the direction p, given P H p.
void step(const LsState& s, Index c, const std::vector<double>& hp, std::vector<double>& a, std::vector<double>& r,
          std::vector<double>& p) {
  const double rr = s.dot(r, r, c), curvature = s.dot(p, hp, c);
  if (rr == 0.0) return;
  if (!(curvature > 0.0)) throw DataError(kNotDefinite);
  s.add(a, p, rr / curvature, c);
  s.add(r, hp, -(rr / curvature), c);
  const double beta = s.dot(r, r, c) / rr;
  for (Index i = c * s.rows(); i < (c + 1) * s.rows(); ++i) p[i] = r[i] + beta * p[i];
}

}  // namespace

void ls_conjugate_gradients(LsState& s) {
  std::vector<double>& a = s.result.w;
  centre(s, a);
  std::vector<double> r = s.computed_residual();
  centre(s, r);
  std::vector<double> p = r, hp(r.size());
  s.result.residual = s.relative(r);
  for (bool stop = s.result.residual < s.task.tol; !stop;) {
    std::fill(hp.begin(), hp.end(), 0.0);
    s.add_product(p, 1.0, hp);
    centre(s, hp);
    for (Index c = 0; c < s.k; ++c) step(s, c, hp, a, r, p);
    s.result.residuals.push_back(s.relative(r));
    stop = s.step_done(s.result.residuals.back());
  }
  s.w_is_zero = false;
  s.residual = s.computed_residual();  // for a alone: the entries of the bias are still 0
  const Index n = s.matrix.n();
  for (Index c = 0; c < s.k; ++c) {
    const auto own = s.residual.begin() + c * s.rows();
    a[c * s.rows() + n] = std::accumulate(own, own + n, 0.0) / static_cast<double>(n);
  }
  centre(s, s.residual);
}

}  // namespace dcsvm::least_squares
