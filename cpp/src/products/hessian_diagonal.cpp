#include "products/hessian_diagonal.hpp"

namespace dcsvm::products {

void HessianDiagonal::update(const Matrix& x, const std::vector<double>& now, base::ThreadPool& pool) {
  const bool first = curvature.empty();
  curvature.resize(now.size(), 0.0);
  std::vector<double> change(now.size(), 0.0);
  std::size_t active = 0, changed = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    active += now[i] != 0 ? 1 : 0;
    if (!lags(curvature[i], now[i])) continue;
    change[i] = now[i] - curvature[i];
    ++changed;
  }
  sums.resize(x.cols());
  if (first || static_cast<double>(changed) > kRebuild * static_cast<double>(active)) {
    curvature = now;
    return x.squares(curvature.data(), sums.data(), pool);
  }
  if (changed == 0) return;
  std::vector<double> more(x.cols());
  x.squares(change.data(), more.data(), pool);
  for (Index j = 0; j < x.cols(); ++j) sums[j] = std::max(0.0, sums[j] + more[j]);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (change[i] != 0) curvature[i] = now[i];
  }
}

}  // namespace dcsvm::products
