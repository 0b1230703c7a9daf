#include "kernel_matrix/linear_rows.hpp"

#include <algorithm>

#include "base/vectors.hpp"

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

// Coefficients may be millions of times what their sum comes to, and then its roundings would be seen in a violation. Sums of a
// few rows are added up with their roundings; so few that this costs little beside the rows themselves, which may be sparse.
std::vector<double> LinearRows::weights(const Index* rows, const double* coef, Index m) const {
  constexpr Index kFewRows = 16;
  constexpr double kValues = 4.0;  // of the rows, for each sum
  const auto d = static_cast<std::size_t>(features());
  const auto few = std::max(kFewRows, static_cast<Index>(kValues * static_cast<double>(d) / std::max(1.0, work_per_row())));
  std::vector<base::CompensatedSum> sums(d);
  std::vector<double> w(d, 0.0);
  for (Index begin = 0; begin < m; begin += few) {
    std::fill(w.begin(), w.end(), 0.0);
    for (Index r = begin; r < std::min(m, begin + few); ++r) {
      if (coef[r] != 0.0) add(rows[r], coef[r], w.data());
    }
    for (std::size_t j = 0; j < d; ++j) sums[j].add(w[j]);
  }
  std::transform(sums.begin(), sums.end(), w.begin(), [](const base::CompensatedSum& s) { return s.value(); });
  return w;
}

}  // namespace dcsvm::kernel_matrix
