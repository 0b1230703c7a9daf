#include "cross_validation/fold_tasks.hpp"

#include <algorithm>
#include <cmath>

namespace dcsvm::cross_validation {

double Start::work(const Box& box, bool equality, double tol) const {
  double sum = 0, count = 0;
  for (std::size_t i = 0; equality && i < beta.size(); ++i) {
    if (beta[i] > box.lo[i] && beta[i] < box.hi[i]) sum += g[i], count += 1;
  }
  const double middle = count > 0 ? sum / count : 0.0;
  double all = 0;
  for (std::size_t i = 0; i < beta.size(); ++i) {
    const double gap = g[i] - middle, v = std::max(beta[i] < box.hi[i] ? gap : 0.0, beta[i] > box.lo[i] ? -gap : 0.0);
    if (v > 0.5 * tol) all += std::log2(2.0 * v / tol);
  }
  return all;
}

}  // namespace dcsvm::cross_validation
