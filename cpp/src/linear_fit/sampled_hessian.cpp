#include "linear_fit/sampled_hessian.hpp"

#include <algorithm>

#include "kernels/cholesky.hpp"
#include "linear_fit/problem.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr double kSharedValue = 0.3;  // nanoseconds, about, for a stored value where X is read once for several problems
constexpr double kSureProducts = 12;  // that follow a factor, or that it saves; as many may the sum over all rows cost
constexpr double kRowsOfColumn = 3;   // else the sampled rows for each column: with fewer, directions need more products
constexpr double kKeep = 0.1;         // share of the rows in the factor that may have another curvature

}  // namespace

double SampledHessian::product_cost() const {
  return (shared_ ? kSharedValue : products::kValueCost) * static_cast<double>(x_.stored());
}

bool SampledHessian::samples() const {
  const auto rows = static_cast<double>(x_.rows());
  return sampled_rows(rows) < rows;
}

/// How many of `active` rows, those with a curvature, are summed.
double SampledHessian::sampled_rows(double active) const {
  if (active * gram_.row_cost() <= kSureProducts * product_cost()) return active;
  return std::min(active, kRowsOfColumn * static_cast<double>(d_));
}

bool SampledHessian::pays(Index n_products) const {
  const double d = static_cast<double>(d_), rows = sampled_rows(static_cast<double>(x_.rows()));
  return (kSureProducts + static_cast<double>(n_products)) * product_cost() >=
         rows * gram_.row_cost() + products::kTileCost * d * d * d;
}

/// That of the matrix that there is, where about as many rows would be chosen: then only those whose curvature has changed are
/// new.
Index SampledHessian::choose_step(double active) const {
  const auto step = std::max<Index>(1, static_cast<Index>(active / std::max(1.0, sampled_rows(active))));
  const Index held = gram_.step();
  return step <= 2 * held && held <= 2 * step ? held : step;
}

bool SampledHessian::update(const std::vector<double>& curvature, const std::vector<double>& regulariser, const double* squares,
                            products::TileRows& scratch, base::ThreadPool& pool) {
  const auto active = static_cast<double>(x_.rows() - std::count(curvature.begin(), curvature.end(), 0.0));
  const Index step = choose_step(active);
  const bool stays = factored_ && step > 1;
  if (!gram_.update(curvature, step, stays ? kKeep : 0.0, scratch, pool) && stays) return true;
  std::vector<double> diagonal(d_, 0.0);
  if (step > 1 && squares == nullptr) x_.squares(curvature.data(), diagonal.data(), pool);
  if (step > 1 && squares != nullptr) diagonal.assign(squares, squares + d_);
  factor_ = gram_.values();
  for (Index j = 0; j < d_; ++j) {
    double& own = factor_[j * d_ + j];
    own = std::max(own, diagonal[j]);  // a sample may lack what a column has
    own += regulariser[j] > 0 ? regulariser[j] : kTiny * (own > 0 ? own : 1.0);
  }
  return factored_ = kernels::cholesky(factor_.data(), d_, pool);
}

void SampledHessian::solve(double* y, Index columns) const {
  kernels::solve_lower(factor_.data(), d_, y, columns, [] {});
  kernels::solve_lower_transposed(factor_.data(), d_, y, columns, [] {});
}

}  // namespace dcsvm::linear_fit
