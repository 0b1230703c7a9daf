#include "linear_fit/preconditioner.hpp"

namespace dcsvm::linear_fit {

Preconditioner::Preconditioner(const Problem& problem, bool shared, HessianDiagonal* squares, std::size_t cap_bytes)
    : p_(problem), shared_(shared), d_(problem.cols()), squares_(squares != nullptr ? *squares : own_squares_) {
  squares_.sums.resize(d_);
  for (Index j = 0; j < d_; ++j) regulariser_.push_back(p_.regularized(j) ? 1.0 : 0.0);
  if (is_narrow(*p_.x))
    hessian_ = std::make_unique<SampledHessian>(*p_.x, shared ? 1 : products::blocks_within(cap_bytes, d_), shared);
}

bool Preconditioner::needs_diagonal() {
  builds_ = hessian_ != nullptr && hessian_->pays(n_products_);
  return shared_ && (builds_ ? hessian_->samples() : hessian_ == nullptr || !hessian_->factored());
}

void Preconditioner::set(const std::vector<double>& curvature, products::TileRows& scratch, base::ThreadPool& pool) {
  constexpr double kDiagonalShare = 0.01;  // [1]: the rest is the identity's
  if (builds_) {
    n_products_ = 0;
    hessian_->update(curvature, regulariser_, shared_ && hessian_->samples() ? squares() : nullptr, scratch, pool);
  }
  exact_ = builds_ && hessian_->exact(curvature);
  if (hessian_ != nullptr && hessian_->factored()) return;
  if (shared_ && builds_ && !hessian_->samples())
    p_.x->squares(curvature.data(), squares_.sums.data(), pool);  // there was no factor
  if (!shared_) squares_.update(*p_.x, curvature, pool);
  inverse_.resize(d_);
  for (Index j = 0; j < d_; ++j)
    inverse_[j] = 1.0 / ((1.0 - kDiagonalShare) + kDiagonalShare * (squares_.sums[j] + regulariser_[j]));
}

void Preconditioner::solve(const std::vector<double>& r, std::vector<double>& out, base::ThreadPool& pool) const {
  if (hessian_ != nullptr && hessian_->factored()) {
    out = r;
    return hessian_->solve(out.data(), 1);
  }
  pool.for_range(d_, products::kEntryPiece, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) out[j] = r[j] * inverse_[j];
  });
}

}  // namespace dcsvm::linear_fit
