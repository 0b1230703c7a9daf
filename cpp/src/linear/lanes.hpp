// Rows against the weights of several classes at once: weights feature by feature, each feature's classes next to each other and
// padded to 4 or to whole cache lines, so that one read of a row serves all of them.
#pragma once

#include <algorithm>

#include "data/matrix.hpp"

namespace dcsvm::linear {

/// Weights of one feature, with the padding.
inline Index lanes_of(Index classes) { return classes <= 4 ? 4 : (classes + 7) / 8 * 8; }

template <Index Width>
inline void dot_block(const Matrix& x, Index i, const double* w, Index stride, double* out) {
  double sum[Width] = {};
  x.each(i, [&](Index j, double v) {
    const double* at = w + j * stride;
    for (Index m = 0; m < Width; ++m) sum[m] += v * at[m];
  });
  std::copy(sum, sum + Width, out);
}

/// out[m] = sum_j x_ij w[j * lanes + m] for m < lanes, a multiple of 4.
inline void dot_lanes(const Matrix& x, Index i, const double* w, Index lanes, double* out) {
  Index b = 0;
  for (; b + 8 <= lanes; b += 8) dot_block<8>(x, i, w + b, lanes, out + b);
  if (b < lanes) dot_block<4>(x, i, w + b, lanes, out + b);
}

template <Index Width>
inline void add_block(const Matrix& x, Index i, const double* a, double* w, Index stride) {
  double step[Width];
  std::copy(a, a + Width, step);
  x.each(i, [&](Index j, double v) {
    double* at = w + j * stride;
    for (Index m = 0; m < Width; ++m) at[m] += v * step[m];
  });
}

/// w[j * lanes + m] += a[m] x_ij. Few classes change in most steps: then these alone are visited.
inline void add_lanes(const Matrix& x, Index i, const double* a, Index lanes, double* w) {
  const Index changed = lanes - std::count(a, a + lanes, 0.0);
  if (4 * changed <= lanes) {
    for (Index m = 0; m < lanes; ++m) {
      if (a[m] != 0) x.each(i, [&](Index j, double v) { w[j * lanes + m] += a[m] * v; });
    }
    return;
  }
  Index b = 0;
  for (; b + 8 <= lanes; b += 8) add_block<8>(x, i, a + b, w + b, lanes);
  if (b < lanes) add_block<4>(x, i, a + b, w + b, lanes);
}

}  // namespace dcsvm::linear
