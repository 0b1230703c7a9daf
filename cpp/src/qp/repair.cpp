#include "qp/repair.hpp"

#include <algorithm>
#include <cmath>

namespace dcsvm::qp {

namespace {

double total(const double* beta, Index n) {
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += beta[i];
  return sum;
}

/// Adds the rounding error of the sum to the variable with the most room on both sides.
void absorb_rounding(double* beta, const double* lo, const double* hi, Index n) {
  Index best = -1;
  double room = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double r = std::min(beta[i] - lo[i], hi[i] - beta[i]);
    if (beta[i] != 0.0 && r > room) {
      room = r;
      best = i;
    }
  }
  const double rest = total(beta, n);
  if (best >= 0 && std::abs(rest) < room) beta[best] -= rest;
}

}  // namespace

void balance_sum(double* beta, const double* lo, const double* hi, Index n) {
  const double surplus = total(beta, n);
  if (surplus == 0.0) return;
  const auto free = [&](Index i) { return beta[i] != 0.0 && beta[i] > lo[i] && beta[i] < hi[i]; };
  const double sign = surplus > 0.0 ? 1.0 : -1.0;
  // How far variable i can move in the needed direction without passing 0 or its bound.
  const auto way = [&](Index i) {
    if (beta[i] * sign > 0.0) return std::abs(beta[i]);
    return sign > 0.0 ? beta[i] - lo[i] : hi[i] - beta[i];
  };
  double capacity = 0.0;
  for (Index i = 0; i < n; ++i) {
    if (free(i)) capacity += way(i);
  }
  if (capacity > std::abs(surplus)) {
    const double part = surplus / capacity;
    for (Index i = 0; i < n; ++i) {
      if (free(i)) beta[i] = std::clamp(beta[i] - part * way(i), lo[i], hi[i]);
    }
  } else {
    double heavy = 0.0;
    for (Index i = 0; i < n; ++i) {
      if (beta[i] * sign > 0.0) heavy += beta[i];
    }
    const double scale = (heavy - surplus) / heavy;
    for (Index i = 0; i < n; ++i) {
      if (beta[i] * sign > 0.0) beta[i] *= std::max(0.0, scale);
    }
  }
  absorb_rounding(beta, lo, hi, n);
}

}  // namespace dcsvm::qp
