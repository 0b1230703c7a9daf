#include "kernel_matrix/linear_rows.hpp"

#include <algorithm>

namespace dcsvm::kernel_matrix {

LinearRows LinearRows::of(const std::vector<Index>& idx) const {
  if (x_ == nullptr) return {};
  LinearRows some(x_);
  some.row_.resize(idx.size());
  std::transform(idx.begin(), idx.end(), some.row_.begin(), [this](Index i) { return row(i); });
  return some;
}

double LinearRows::work_per_row() const {
  return static_cast<double>(x_->stored()) / static_cast<double>(std::max<Index>(1, x_->rows()));
}

void LinearRows::products(const double* w, const Index* idx, Index n, double* out, base::ThreadPool& pool) const {
  pool.for_range(n, x_->grain(), [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) out[j] += dot(idx[j], w);
  });
}

std::vector<double> LinearRows::weights(const Index* rows, const double* coef, Index m) const {
  std::vector<double> w(static_cast<std::size_t>(features()), 0.0);
  for (Index r = 0; r < m; ++r) {
    if (coef[r] != 0.0) add(rows[r], coef[r], w.data());
  }
  return w;
}

}  // namespace dcsvm::kernel_matrix
