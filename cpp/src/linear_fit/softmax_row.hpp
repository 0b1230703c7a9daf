// One row of the multinomial model.
#pragma once

#include <algorithm>
#include <cmath>

#include "simd/ops.hpp"

namespace dcsvm::linear_fit {

using simd::Index;

/// The row's loss at its scores z, which become its part of the gradient, C (p - e_y). p: the probabilities; room: as many
/// numbers. What belongs to class y is the sum of the others: where p_y is nearly 1 that keeps the digits of 1 - p_y.
inline double softmax_row(double* z, Index classes, int y, double C, float* p, double* room) {
  const double own = z[y], most = *std::max_element(z, z + classes);
  simd::MapParams<double> map;  // exp(-d2) of the "squared distances" most - z
  map.kind = KernelType::rbf;
  for (Index m = 0; m < classes; ++m) {
    room[m] = most - z[m];
    z[m] = 0;
  }
  simd::ops<double>().map_row(map, 0.0, room, z, classes);
  const double e_own = z[y];
  z[y] = 0;
  double others = 0;
  for (Index m = 0; m < classes; ++m) others += z[m];
  const double sum = e_own + others, share = C / sum, inverse = 1.0 / sum;
  for (Index m = 0; m < classes; ++m) {
    p[m] = static_cast<float>(z[m] * inverse);
    z[m] *= share;
  }
  p[y] = static_cast<float>(e_own * inverse);
  z[y] = -others * share;
  return own == most ? C * std::log1p(others) : C * (std::log(sum) + most - own);
}

/// u becomes R u: the row's second derivative times its change of scores.
template <class W>
void softmax_curvature(W* u, Index classes, int y, W C, const float* p) {
  W mean = 0;
  for (Index m = 0; m < classes; ++m) mean += static_cast<W>(p[m]) * u[m];
  W sum = 0;
  for (Index m = 0; m < classes; ++m) {
    u[m] = C * static_cast<W>(p[m]) * (u[m] - mean);
    sum += u[m];
  }
  u[y] -= sum;  // the sum of the row is 0: not by the small difference of u_y and the mean
}

}  // namespace dcsvm::linear_fit
