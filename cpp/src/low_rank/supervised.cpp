#include "low_rank/supervised.hpp"

#include <algorithm>

namespace dcsvm::low_rank {

std::vector<double> laplacian_diagonal(const std::vector<double>& projected, Index cols, const std::vector<int>& class_of,
                                       int n_classes, double a) {
  // D_p = n_c - a (n - n_c) for p of class c;  sum_pq A_pq f_p f_q = (1 + a) sum_c S_c^2 - a (sum_c S_c)^2, S_c = sum_{p in c}
  // f_p.
  const auto n = static_cast<Index>(class_of.size());
  std::vector<double> count(n_classes, 0.0);
  for (const int c : class_of) count[c] += 1.0;
  std::vector<double> diagonal(cols, 0.0), sum(static_cast<std::size_t>(n_classes * cols), 0.0);
  for (Index p = 0; p < n; ++p) {
    const int own = class_of[p];
    const double degree = count[own] - a * (static_cast<double>(n) - count[own]);
    for (Index i = 0; i < cols; ++i) {
      const double f = projected[p * cols + i];
      diagonal[i] += degree * f * f;
      sum[own * cols + i] += f;
    }
  }
  for (Index i = 0; i < cols; ++i) {
    double squares = 0, total = 0;
    for (int c = 0; c < n_classes; ++c) {
      const double s = sum[c * cols + i];
      squares += s * s;
      total += s;
    }
    diagonal[i] -= (1.0 + a) * squares - a * total * total;
  }
  return diagonal;
}

std::vector<double> supervised_spectrum(const std::vector<double>& eigenvalues, const std::vector<double>& c, double lambda) {
  std::vector<double> mu;
  mu.reserve(eigenvalues.size());
  for (std::size_t i = 0; i < eigenvalues.size(); ++i) mu.push_back(std::max(0.0, 1.0 / eigenvalues[i] - c[i] / (2.0 * lambda)));
  return mu;
}

}  // namespace dcsvm::low_rank
