#include "least_squares/ridge.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/vectors.hpp"
#include "dcsvm/errors.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "least_squares/kernel_cholesky.hpp"

namespace dcsvm::least_squares {

namespace {

using Vector = Eigen::VectorXd;
using ConstVector = Eigen::Map<const Vector>;

constexpr Index kMostCholeskyRows = 6000;  // beyond, conjugate gradients take less time
constexpr Index kRows = 256;           // of K at a time

RidgeSolver choose_solver(RidgeSolver asked, Index n, std::size_t cap_bytes) {
  const double whole = static_cast<double>(n) * static_cast<double>(n);
  const bool fits = whole * sizeof(double) <= static_cast<double>(cap_bytes) / 2;
  if (asked == RidgeSolver::automatic) return fits && n <= kMostCholeskyRows ? RidgeSolver::cholesky : RidgeSolver::cg;
  if (asked == RidgeSolver::cholesky && !fits) {
    throw CapError("cache_size must be at least " + std::to_string(static_cast<long long>(whole * 16 / 1048576) + 1) +
                   " MB for solver \"cholesky\" over " + std::to_string(n) + " rows");
  }
  return asked;
}

/// (K + Lambda) v.
template <class T>
Vector product(const kernel_matrix::Columns<T>& columns, const ConstVector& lambda, const Vector& v, base::ThreadPool& pool) {
  const Index n = columns.size();
  Vector out = lambda.cwiseProduct(v);
  const std::vector<Index> all = base::index_range(n);
  for (Index i = 0; i < n; i += kRows) {
    pool.poll();
    columns.multiply(all.data() + i, v.data() + i, std::min(kRows, n - i), out.data(), pool);
  }
  return out;
}

/// The residual halves at least in each step of a refinement that goes on.
constexpr double kProgress = 0.5;

/// A solution that is refined: d of (K + Lambda) d = r for the residual r is added to it, where K may be rounded but r is formed
/// in double (iterative refinement; Higham: Accuracy and Stability of Numerical Algorithms, 2002, chapter 12).
class Refinement {
 public:
  Refinement(const RidgeMatrix& k, const RidgeTask& task, base::Context& context)
      : k_(k), task_(task), context_(context), n_(k.exact.size()), all_(base::index_range(n_)), lambda_(task.lambda, n_) {
    const ConstVector y(task.targets, n_);
    const double largest = y.cwiseAbs().maxCoeff();
    if (largest > 0) exponent_ = std::ilogb(largest);  // squares of tiny or huge targets neither vanish nor overflow
    y_ = y.unaryExpr([&](double v) { return std::ldexp(v, -exponent_); });
    residual_ = y_;
    x_ = Vector::Zero(n_);
    solution_.used = choose_solver(task.solver, n_, context.cap_bytes);
  }

  RidgeSolution run() {
    if (!try_rounded()) {
      solution_.precision = Precision::double_;
      if (!refine(k_.exact)) solution_.stop_reason = StopReason::stagnated;
    }
    const auto unscaled = [&](const Vector& v) {
      std::vector<double> out(v.data(), v.data() + n_);
      for (double& value : out) value = std::ldexp(value, exponent_);
      return out;
    };
    solution_.alpha = unscaled(x_);
    solution_.residual = unscaled(residual_);
    if (!base::all_finite(solution_.alpha) || !base::all_finite(solution_.residual)) {
      throw DataError("the coefficients overflow; scale X or y, or raise alpha");
    }
    return std::move(solution_);
  }

 private:
  /// false: values in double are needed.
  bool try_rounded() {
    if (k_.rounded == nullptr) return false;
    try {
      return refine(*k_.rounded);
    } catch (const RidgeNotDefinite&) {
      return false;
    }
  }

  /// Refines with solves in precision T while that helps; true: the residual is below tol, or the solver ended early.
  template <class T>
  bool refine(const kernel_matrix::RowSource<T>& k) {
    std::unique_ptr<kernel_matrix::RowSource<T>> stored;
    const std::size_t stored_bytes = static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_) * sizeof(T);
    if (solution_.used == RidgeSolver::cg && stored_bytes <= context_.cap_bytes / 2) {
      stored = kernel_matrix::make_stored_rows(k, *context_.pool);
      count(stored_bytes);
    }
    const auto columns = (stored ? *stored : k).columns(all_.data(), n_, context_.cap_bytes / 4, *context_.pool);
    const RidgeState<T> s{task_, context_, *columns, kProgress * task_.tol * y_.norm(), solution_};
    const RidgeSolve solve = solution_.used == RidgeSolver::cholesky ? cholesky(s) : ridge_conjugate_gradients(s);
    while (residual_.norm() > task_.tol * y_.norm()) {
      const bool helped = step(solve(residual_), *columns);
      if (solution_.stop_reason != StopReason::converged) return true;
      if (!helped) return false;
    }
    return true;
  }

  /// Adds d where that lowers the residual; false: by too little to go on.
  template <class T>
  bool step(const Vector& d, const kernel_matrix::Columns<T>& columns) {
    const double before = residual_.norm();
    const Vector x = x_ + d, residual = y_ - exact_product(x, columns);
    if (residual.norm() < before) {
      x_ = x;
      residual_ = residual;
    }
    if (++steps_ > 1) solution_.precision = Precision::double_;
    return residual.norm() <= std::max(kProgress * before, task_.tol * y_.norm());
  }

  /// (K + Lambda) v in double. columns: what the solver works with.
  template <class T>
  Vector exact_product(const Vector& v, const kernel_matrix::Columns<T>& columns) {
    if constexpr (std::is_same_v<T, double>) {
      return product(columns, lambda_, v, *context_.pool);
    } else {
      if (!exact_) exact_ = k_.exact.columns(all_.data(), n_, context_.cap_bytes / 8, *context_.pool);
      return product(*exact_, lambda_, v, *context_.pool);
    }
  }

  template <class T>
  RidgeSolve cholesky(const RidgeState<T>& s) {
    const auto factor = std::make_shared<const KernelCholesky>(s.columns, std::vector<double>(task_.lambda, task_.lambda + n_),
                                                               RidgeNotDefinite(), *context_.pool);
    count(factor->bytes());
    return [factor](Vector r) {
      factor->solve(r.data(), 1);
      return r;
    };
  }

  void count(std::size_t bytes) { solution_.peak_bytes = std::max(solution_.peak_bytes, bytes); }

  const RidgeMatrix& k_;
  const RidgeTask& task_;
  base::Context& context_;
  Index n_;
  std::vector<Index> all_;
  ConstVector lambda_;
  int exponent_ = 0;  // targets are divided by 2^exponent
  Vector y_, x_, residual_;
  std::unique_ptr<kernel_matrix::Columns<double>> exact_;  // beside columns in single precision
  int steps_ = 0;
  RidgeSolution solution_;
};

}  // namespace

template <class T>
Vector RidgeState<T>::product(const Vector& v) const {
  return least_squares::product(columns, ConstVector(task.lambda, n()), v, *context.pool);
}

RidgeSolution solve_ridge(const RidgeMatrix& k, const RidgeTask& task, base::Context& context) {
  return Refinement(k, task, context).run();
}

template struct RidgeState<float>;
template struct RidgeState<double>;

}  // namespace dcsvm::least_squares
