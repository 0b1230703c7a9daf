#include "qp/origins.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace dcsvm::qp {

Origins Origins::of_one_update(const double* beta, Index n) {
  Origins origins;
  std::vector<double>& path = origins.known[0].path;
  path.assign(beta, beta + n);
  for (double& p : path) p = std::abs(p);
  return origins;
}

Origins Origins::of_caller(const double* beta, Index n) {
  Origins origins = of_one_update(beta, n);
  origins.known[0].beta.assign(beta, beta + n);
  origins.known[0].given = true;
  return origins;
}

void Origins::went(const std::vector<double>& path) {
  for (Origin& origin : known) {
    if (origin.path.empty()) origin.path.assign(path.size(), 0.0);
    std::transform(path.begin(), path.end(), origin.path.begin(), origin.path.begin(), std::plus<>());
  }
}

void Origins::drop_unused() {
  if (of.empty()) return;
  std::vector<int> number(known.size(), -1);
  std::vector<Origin> used;
  for (std::uint8_t& from : of) {
    int& own = number[from];
    if (own < 0) {
      own = static_cast<int>(used.size());
      used.push_back(std::move(known[from]));
    }
    from = static_cast<std::uint8_t>(own);
  }
  known = std::move(used);
}

void Origins::scale(double t, const double* q) {
  for (Origin& origin : known) {
    for (double& b : origin.beta) b *= t;
    for (std::size_t i = 0; i < origin.gradient.size(); ++i) origin.gradient[i] = q[i] + t * (origin.gradient[i] - q[i]);
    origin.error *= t;
    origin.coherent *= t;
    for (double& p : origin.path) p *= t;
    origin.left_out *= t;
  }
}

}  // namespace dcsvm::qp
