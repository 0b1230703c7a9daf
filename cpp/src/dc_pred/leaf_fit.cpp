#include "dc_pred/leaf_fit.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace dcsvm::dc_pred {

namespace {

using Matrix = Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstRows = Eigen::Map<const RowMajor>;

constexpr Index kLeafBlock = 256;
constexpr int kMaxSteps = 50;

class Newton {
 public:
  explicit Newton(const LinearFit& p) : p_(p), f_(p.features, p.n, p.k), y_(p.targets, p.n), C_(p.C, p.n) {
    penalty_ = VectorXd::Ones(p.k + 1);
    // Without any pull the Hessian is singular when no row is active, or without intercept.
    const double sum = C_.sum();
    penalty_[p.k] = p.fit_intercept && sum > 0 ? 1e-8 * sum : 1.0;
  }

  std::vector<double> run() {
    w_ = VectorXd::Zero(p_.k + 1);
    margins_ = VectorXd::Zero(p_.n);
    double value = objective(w_, margins_), first = -1;
    for (int step = 0; step < kMaxSteps; ++step) {
      const VectorXd gradient = this->gradient();
      const double size = gradient.norm();
      if (first < 0) first = size;
      if (size <= 1e-3 * p_.tol * first || size == 0) break;
      const VectorXd direction = -hessian().ldlt().solve(gradient);
      const double slope = gradient.dot(direction);
      if (!(slope < 0)) break;
      const VectorXd along = decision(direction);
      double t = 1, next = 0;
      for (;; t /= 2) {
        next = objective(w_ + t * direction, margins_ + t * along);
        if (next <= value + 1e-4 * t * slope || t < 1e-9) break;
      }
      if (!(next < value)) break;
      w_ += t * direction;
      margins_ += t * along;
      const bool flat = value - next <= 1e-12 * std::abs(value);
      value = next;
      if (flat) break;
    }
    return {w_.data(), w_.data() + w_.size()};
  }

 private:
  VectorXd decision(const VectorXd& w) const {
    VectorXd out = f_ * w.head(p_.k);
    if (p_.fit_intercept) out.array() += w[p_.k];
    return out;
  }
  /// What a row misses its target by; 0: it does not count.
  double missing(Index i, double f) const { return p_.squared || y_[i] * f < 1 ? y_[i] - f : 0.0; }
  double objective(const VectorXd& w, const VectorXd& f) const {
    double sum = 0.5 * (w.array().square() * penalty_.array()).sum();
    for (Index i = 0; i < p_.n; ++i) sum += C_[i] * missing(i, f[i]) * missing(i, f[i]);
    return sum;
  }
  VectorXd gradient() const {
    VectorXd pull(p_.n);
    for (Index i = 0; i < p_.n; ++i) pull[i] = -2 * C_[i] * missing(i, margins_[i]);
    VectorXd g = w_.cwiseProduct(penalty_);
    g.head(p_.k) += f_.transpose() * pull;
    if (p_.fit_intercept) g[p_.k] += pull.sum();
    return g;
  }
  Matrix hessian() const {
    Matrix h = penalty_.asDiagonal();
    Matrix block(p_.k + 1, kLeafBlock);  // active rows as columns, scaled
    Index used = 0;
    const auto add = [&] {
      h.selfadjointView<Eigen::Lower>().rankUpdate(block.leftCols(used));
      used = 0;
    };
    for (Index i = 0; i < p_.n; ++i) {
      if (C_[i] == 0 || missing(i, margins_[i]) == 0) continue;
      const double scale = std::sqrt(2 * C_[i]);
      block.col(used).head(p_.k) = scale * f_.row(i).transpose();
      block(p_.k, used) = p_.fit_intercept ? scale : 0.0;
      if (++used == kLeafBlock) add();
    }
    if (used > 0) add();
    return h.selfadjointView<Eigen::Lower>();
  }

  const LinearFit& p_;
  ConstRows f_;
  Eigen::Map<const VectorXd> y_, C_;
  VectorXd penalty_, w_, margins_;
};

}  // namespace

WeightFactor weight_factor(const std::vector<double>& c, Index k, const std::vector<double>& g) {
  const Index n = static_cast<Index>(c.size()) / k;
  const ConstRows C(c.data(), n, k), G(g.data(), n, n);
  const Eigen::SelfAdjointEigenSolver<Matrix> normal(C.transpose() * C);  // V S^2 V'
  const VectorXd& squared = normal.eigenvalues();
  const double cut = kSingularCut * kSingularCut * squared[k - 1];
  const Index kept = std::count_if(squared.data(), squared.data() + k, [cut](double s) { return s > cut && s > 0; });
  const Matrix V = normal.eigenvectors().rightCols(kept);
  const Matrix U = C * V * squared.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();  // C = U S V'
  const Matrix inner = U.transpose() * (G * U);
  const Matrix half = V * squared.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();   // C^+ = half U'
  // W-bar = half inner half': factored through inner, whose scale is the kernel's.
  const Eigen::SelfAdjointEigenSolver<Matrix> middle(0.5 * (inner + inner.transpose()));
  const VectorXd& values = middle.eigenvalues();
  const double least = 1e-12 * std::max(0.0, kept > 0 ? values[kept - 1] : 0.0);
  WeightFactor factor;
  factor.k = k;
  factor.cols = std::count_if(values.data(), values.data() + kept, [least](double v) { return v > least; });
  factor.values.resize(k * factor.cols);
  Eigen::Map<RowMajor>(factor.values.data(), k, factor.cols) =
      half * middle.eigenvectors().rightCols(factor.cols) * values.tail(factor.cols).cwiseSqrt().asDiagonal();
  return factor;
}

std::vector<double> fit_linear(const LinearFit& problem) { return Newton(problem).run(); }

}  // namespace dcsvm::dc_pred
