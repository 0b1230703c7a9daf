#include "linear_fit/preconditioner.hpp"

#include <algorithm>

#include "kernels/cholesky.hpp"

namespace dcsvm::linear_fit {

namespace {

constexpr double kDiagonalShare = 0.01;  // [1]: the rest is the identity's
constexpr double kNoRegulariser = 1e-12;  // relative, of a weight that is not regularised, so that the matrix can be factored
constexpr double kKeep = 0.1;     // the factor stays as it is where at most this share of the sampled rows has changed
constexpr double kRowsOfColumn = 3;  // sampled rows for each column,
constexpr double kSampleCost = 10;   // or all rows, where their sum costs at most so many products with X
// Nanoseconds, about, to choose between a factor and more products: d^3 of a factor, and what a product with X' D X that several
// problems share costs one of them for each stored value.
constexpr double kFactor = 0.03, kDenseValue = 0.25, kSparseValue = 0.35;

}  // namespace

Preconditioner::Preconditioner(const Problem& problem, HessianDiagonal* squares)
    : p_(problem), d_(problem.cols()), diagonal_(d_), squares_(squares != nullptr ? *squares : own_squares_) {}

void Preconditioner::factor(const std::vector<double>& gram, const double* diagonal, base::ThreadPool& pool) {
  factor_ = gram;
  for (Index j = 0; j < d_; ++j) {
    double& own = factor_[j * d_ + j];
    own += p_.regularized(j) ? 1.0 : kNoRegulariser * (own > 0 ? own : 1.0);
    if (diagonal != nullptr) own = std::max(own, diagonal[j]);
  }
  factored_ = kernels::cholesky(factor_.data(), d_, pool);
}

void Preconditioner::invert_squares() {
  inverse_.resize(d_);
  for (Index j = 0; j < d_; ++j)
    inverse_[j] = 1.0 / ((1.0 - kDiagonalShare) + kDiagonalShare * (squares_.sums[j] + regulariser(j)));
}

void Preconditioner::solve(const std::vector<double>& r, std::vector<double>& out, base::ThreadPool& pool) const {
  if (factored_) {
    out = r;
    kernels::solve_lower(factor_.data(), d_, out.data(), 1, [] {});
    kernels::solve_lower_transposed(factor_.data(), d_, out.data(), 1, [] {});
    return;
  }
  pool.for_range(d_, kColumnPiece, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) out[j] = r[j] * inverse_[j];
  });
}

void OwnPreconditioner::set(const std::vector<double>& curvature, products::TileRows& scratch, base::ThreadPool& pool) {
  exact_ = false;
  const Index step = factors_ ? gram_.choose_step(curvature) : 0;
  if (step > 0) {
    const bool changed = gram_.update(curvature, step, factored_ && step > 1 ? kKeep : 0.0, scratch, pool);
    if (!changed && step > 1 && factored_) return;
    if (step > 1) {
      p_.x->squares(curvature.data(), diagonal_.data(), pool);
      for (Index j = 0; j < d_; ++j) diagonal_[j] += regulariser(j);
    }
    factor(gram_.values(), step > 1 ? diagonal_.data() : nullptr, pool);
    exact_ = factored_ && gram_.exact(curvature);
  }
  factored_ = factored_ && step > 0;
  if (factored_) return;
  squares_.update(*p_.x, curvature, pool);
  invert_squares();
}

SharedPreconditioner::SharedPreconditioner(const Problem& problem)
    : Preconditioner(problem, nullptr), gram_(*problem.x, 1, true) {
  squares_.sums.resize(d_);
}

/// Nanoseconds, about.
double SharedPreconditioner::product_cost() const {
  return (p_.x->dense() ? kDenseValue : kSparseValue) * static_cast<double>(p_.x->stored());
}

/// How many of `active` rows, those with a curvature, are summed: all where that costs a few products, else three for each
/// column.
double SharedPreconditioner::sampled_rows(double active) const {
  if (active * gram_.row_cost() <= kSampleCost * product_cost()) return active;
  return std::min(active, kRowsOfColumn * static_cast<double>(d_));
}

/// Of the matrix that there is, where about as many rows would be chosen: then only those whose curvature has changed are new.
Index SharedPreconditioner::choose_step(const std::vector<double>& curvature) const {
  const auto active =
      static_cast<double>(curvature.size()) - static_cast<double>(std::count(curvature.begin(), curvature.end(), 0.0));
  const auto step = std::max<Index>(1, static_cast<Index>(active / std::max(1.0, sampled_rows(active))));
  const Index held = gram_.step();
  return step <= 2 * held && held <= 2 * step ? held : step;
}

bool SharedPreconditioner::needs_diagonal() {
  builds_ = false;
  if (is_narrow(*p_.x)) {
    const double d = static_cast<double>(d_), rows = sampled_rows(static_cast<double>(p_.rows()));
    builds_ = static_cast<double>(n_products_) * product_cost() >= rows * gram_.row_cost() + kFactor * d * d * d;
  }
  return builds_ || !factored_;
}

void SharedPreconditioner::set(const std::vector<double>& curvature, products::TileRows& scratch, base::ThreadPool& pool) {
  if (!builds_ && factored_) return;
  if (builds_) {
    n_products_ = 0;
    const Index step = choose_step(curvature);
    gram_.update(curvature, step, 0.0, scratch, pool);
    for (Index j = 0; j < d_; ++j) diagonal_[j] = squares_.sums[j] + regulariser(j);
    factor(gram_.values(), step > 1 ? diagonal_.data() : nullptr, pool);
    if (factored_) return;
  }
  invert_squares();
}

}  // namespace dcsvm::linear_fit
