#include "svm/probability/pairwise_coupling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "svm/probability/platt.hpp"

namespace dcsvm::svm {

namespace {

constexpr double kLeastProbability = 1e-7;  // pairwise probabilities keep this far from 0 and 1

// Q of the coupling's 1/2 p'Qp: Q_tt = sum_{j != t} r_jt^2, Q_tj = -r_jt r_tj.
std::vector<double> coupling_matrix(const double* r, Index k) {
  std::vector<double> q(k * k, 0.0);
  for (Index t = 0; t < k; ++t) {
    for (Index j = 0; j < k; ++j) {
      if (j == t) continue;
      q[t * k + t] += r[j * k + t] * r[j * k + t];
      q[t * k + j] = -r[j * k + t] * r[t * k + j];
    }
  }
  return q;
}

// q p into qp; returns p'Qp.
double product(const std::vector<double>& q, Index k, const double* p, std::vector<double>& qp) {
  double pqp = 0;
  for (Index t = 0; t < k; ++t) {
    qp[t] = 0;
    for (Index j = 0; j < k; ++j) qp[t] += q[t * k + j] * p[j];
    pqp += p[t] * qp[t];
  }
  return pqp;
}

}  // namespace

void couple(const double* r, Index k, double* p) {
  const Index max_rounds = std::max<Index>(100, k);
  const double tol = 0.005 / static_cast<double>(k);
  const std::vector<double> q = coupling_matrix(r, k);
  std::vector<double> qp(k);
  std::fill(p, p + k, 1.0 / static_cast<double>(k));
  for (Index round = 0; round < max_rounds; ++round) {
    double pqp = product(q, k, p, qp), worst = 0;
    for (Index t = 0; t < k; ++t) worst = std::max(worst, std::abs(qp[t] - pqp));
    if (worst < tol) return;
    for (Index t = 0; t < k; ++t) {
      const double step = (pqp - qp[t]) / q[t * k + t], scale = 1.0 + step;
      p[t] += step;
      pqp = (pqp + step * (step * q[t * k + t] + 2.0 * qp[t])) / scale / scale;
      for (Index j = 0; j < k; ++j) {
        qp[j] = (qp[j] + step * q[t * k + j]) / scale;
        p[j] /= scale;
      }
    }
  }
}

double density(double f, const std::vector<double>& marks) {
  if (f < marks.front()) return 0.001;
  if (f > marks.back()) return 0.999;
  for (std::size_t i = 1; i < marks.size(); ++i) {
    if (f < marks[i]) return static_cast<double>(i) / static_cast<double>(marks.size());
  }
  return 0.999;  // f is the last mark; LIBSVM's loop would leave 0 here
}

void probabilities(const Calibration& calibration, Index k, const double* decisions, Index n, double* out) {
  if (k == 0) {
    for (Index i = 0; i < n; ++i) {
      out[2 * i] = density(decisions[i], calibration.density_marks);
      out[2 * i + 1] = 1.0 - out[2 * i];
    }
    return;
  }
  const Index pairs = k * (k - 1) / 2;
  std::vector<double> r(k * k, 0.0);
  for (Index row = 0; row < n; ++row) {
    std::size_t pair = 0;
    for (Index i = 0; i < k; ++i) {
      for (Index j = i + 1; j < k; ++j, ++pair) {
        const double f = decisions[row * pairs + static_cast<Index>(pair)];
        const double p = logistic(calibration.a[pair] * f + calibration.b[pair]);
        r[i * k + j] = std::clamp(p, kLeastProbability, 1.0 - kLeastProbability);
        r[j * k + i] = 1.0 - r[i * k + j];
      }
    }
    if (k == 2) {
      out[2 * row] = r[1];
      out[2 * row + 1] = r[2];
    } else {
      couple(r.data(), k, out + row * k);
    }
  }
}

}  // namespace dcsvm::svm
