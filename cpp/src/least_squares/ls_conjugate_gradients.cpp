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

/// One step for class c: a, the residual r and the direction p, given P H p. false: p'Hp is not positive.
bool step(const LsState& s, Index c, const std::vector<double>& hp, std::vector<double>& a, std::vector<double>& r,
          std::vector<double>& p) {
  const double rr = s.dot(r, r, c), curvature = s.dot(p, hp, c);
  if (rr == 0.0) return true;
  if (!(curvature > 0.0)) return false;
  s.add(a, p, rr / curvature, c);
  s.add(r, hp, -(rr / curvature), c);
  const double beta = s.dot(r, r, c) / rr;
  for (Index i = c * s.rows(); i < (c + 1) * s.rows(); ++i) p[i] = r[i] + beta * p[i];
  return true;
}

/// A step for all classes; false: rounding in float may be to blame for a negative curvature. Throws when it is not.
bool step_all(LsState& s, std::vector<double>& r, std::vector<double>& p) {
  std::vector<double> hp(r.size(), 0.0);
  if (s.in_double) {
    s.add_exact_product(p, 1.0, hp);
  } else {
    s.add_product(p, 1.0, hp);
  }
  centre(s, hp);
  for (Index c = 0; c < s.k; ++c) {
    if (step(s, c, hp, s.result.w, r, p)) continue;
    if (s.in_double) throw DataError(kNotDefinite);
    return false;
  }
  return true;
}

}  // namespace

void ls_conjugate_gradients(LsState& s) {
  std::vector<double>& a = s.result.w;
  centre(s, a);
  s.compute_residual();
  std::vector<double> r = s.residual;
  centre(s, r);
  std::vector<double> p = r;
  s.result.residual = s.relative(r);
  s.result.stop_reason = StopReason::converged;
  for (bool stop = s.result.residual < s.target; !stop;) {
    if (!step_all(s, r, p)) {
      s.result.stop_reason = StopReason::stagnated;
      s.residual_is_exact = s.w_is_zero = false;
      break;
    }
    s.result.residuals.push_back(s.relative(r));
    stop = s.step_done(s.result.residuals.back());
  }
  s.compute_residual();  // for a alone: the entries of the bias are still 0
  const Index n = s.matrix.n();
  for (Index c = 0; c < s.k; ++c) {
    const auto own = s.residual.begin() + c * s.rows();
    a[c * s.rows() + n] = std::accumulate(own, own + n, 0.0) / static_cast<double>(n);
  }
  centre(s, s.residual);
}

}  // namespace dcsvm::least_squares
