#include "low_rank/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Householder>
#include <Eigen/Jacobi>

#include "dcsvm/errors.hpp"

namespace dcsvm::low_rank {

namespace {

constexpr Index kReflectionsAtOnce = 48;
constexpr Index kStepsPerValue = 30;

class Tridiagonal {
 public:
  Tridiagonal(Eigen::MatrixXd& a, const base::ThreadPool& pool)
      : a_(a), pool_(pool), n_(a.rows()), below_(std::max<Index>(n_ - 1, 0)), weight_(below_.size()) {
    for (Index i = 0; i < below_.size(); ++i) {
      pool_.poll();
      reflect(i);
    }
  }

  /// The product of the reflections.
  Eigen::MatrixXd vectors() const {
    Eigen::MatrixXd q = Eigen::MatrixXd::Identity(n_, n_);
    for (Index end = below_.size(); end > 0;) {
      pool_.poll();
      const Index begin = (end - 1) / kReflectionsAtOnce * kReflectionsAtOnce, m = n_ - begin;
      auto some = Eigen::householderSequence(a_.bottomRightCorner(m, m), weight_.tail(m - 1));
      some.setLength(end - begin).setShift(1);
      q.bottomRightCorner(m, m).applyOnTheLeft(some);
      end = begin;
    }
    return q;
  }
  Eigen::VectorXd diagonal() const { return a_.diagonal(); }
  const Eigen::VectorXd& below() const { return below_; }

 private:
  /// H a H with the reflection H that makes zeros below the first sub-diagonal of column i; its vector is kept there.
  void reflect(Index i) {
    const Index m = n_ - i - 1;
    auto v = a_.col(i).tail(m);
    auto rest = a_.bottomRightCorner(m, m).selfadjointView<Eigen::Lower>();
    double tau = 0, beta = 0;
    v.makeHouseholderInPlace(tau, beta);
    v[0] = 1.0;
    Eigen::VectorXd p = rest * (tau * v);
    p -= (0.5 * tau * p.dot(v)) * v;
    rest.rankUpdate(v, p, -1.0);
    below_[i] = beta;
    weight_[i] = tau;
  }

  Eigen::MatrixXd& a_;
  const base::ThreadPool& pool_;
  Index n_;
  Eigen::VectorXd below_, weight_;
};

/// One implicit QR step on the block [begin, end] of the tridiagonal matrix (d, e), with Wilkinson's shift; q takes its
/// rotations.
void qr_step(Eigen::VectorXd& d, Eigen::VectorXd& e, Index begin, Index end, Eigen::MatrixXd& q) {
  const double half = 0.5 * (d[end - 1] - d[end]), last = e[end - 1];
  const double shift = d[end] - last * (last / (half + std::copysign(std::hypot(half, last), half)));
  double x = d[begin] - shift, z = e[begin];
  for (Index k = begin; k < end && z != 0.0; ++k) {
    Eigen::JacobiRotation<double> rotation;
    rotation.makeGivens(x, z);
    const double c = rotation.c(), s = rotation.s();
    const double upper = s * d[k] + c * e[k], lower = s * e[k] + c * d[k + 1];
    d[k] = c * (c * d[k] - s * e[k]) - s * (c * e[k] - s * d[k + 1]);
    d[k + 1] = s * upper + c * lower;
    e[k] = c * upper - s * lower;
    if (k > begin) e[k - 1] = c * e[k - 1] - s * z;
    x = e[k];
    if (k + 1 < end) {
      z = -s * e[k + 1];
      e[k + 1] *= c;
    }
    q.applyOnTheRight(k, k + 1, rotation);
  }
}

}  // namespace

EigenPairs symmetric_eigen(Eigen::MatrixXd matrix, const base::ThreadPool& pool) {
  const Index n = matrix.rows();
  const double scale = n > 0 ? matrix.cwiseAbs().maxCoeff() : 0.0;
  if (scale > 0) matrix /= scale;  // so that no square overflows
  EigenPairs pairs;
  Tridiagonal reduced(matrix, pool);
  pairs.values = reduced.diagonal();
  pairs.vectors = reduced.vectors();
  Eigen::VectorXd &d = pairs.values, e = reduced.below();
  const auto is_small = [&](Index i) {
    return std::abs(e[i]) <= std::numeric_limits<double>::epsilon() * (std::abs(d[i]) + std::abs(d[i + 1])) ||
           std::abs(e[i]) < std::numeric_limits<double>::min();
  };
  Index end = n - 1, steps = 0;
  while (end > 0) {
    pool.poll();
    for (Index i = 0; i < end; ++i) {
      if (is_small(i)) e[i] = 0.0;
    }
    while (end > 0 && e[end - 1] == 0.0) --end;
    if (end <= 0) break;
    if (++steps > kStepsPerValue * n) throw DataError("the eigenvalues of the kernel on the landmarks do not converge");
    Index begin = end - 1;
    while (begin > 0 && e[begin - 1] != 0.0) --begin;
    qr_step(d, e, begin, end, pairs.vectors);
  }
  d *= scale;
  return pairs;
}

}  // namespace dcsvm::low_rank
