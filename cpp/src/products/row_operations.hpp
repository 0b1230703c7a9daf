// Operations on the values of one row, or a few, in vectors of 16 bytes, which every instruction set has: inline, because many
// rows are shorter than a call. Longer dense rows go through the tables of simd.
#pragma once

#include <cstring>

#include "dcsvm/data.hpp"
#include "products/pieces.hpp"
#include "simd/ops.hpp"

namespace dcsvm::products {

// Values go in fours and pairs: conversions and products of single ones take as long as the loads. 16 bytes are a vector of every
// instruction set; longer ones would have to be gathered, which gains nothing.
namespace pairs {

using Pair [[gnu::vector_size(2 * sizeof(double))]] = double;

struct Four {
  Pair low, high;
};

template <class T>
inline Four load(const T* v) {
  using From [[gnu::vector_size(4 * sizeof(T))]] = T;
  using To [[gnu::vector_size(4 * sizeof(double))]] = double;
  From from;
  std::memcpy(&from, v, sizeof from);
  const To to = __builtin_convertvector(from, To);
  Four out;
  std::memcpy(&out, &to, sizeof out);
  return out;
}

template <class T>
inline Pair load_pair(const T* v) {
  return Pair{static_cast<double>(v[0]), static_cast<double>(v[1])};
}

}  // namespace pairs

/// sum v[t] w[c[t]].
template <class T, class Column>
inline double sparse_dot(const T* v, const Column* c, Index n, const double* w) {
  pairs::Pair s0 = {}, s1 = {}, s2 = {}, s3 = {};  // hide the latency of an addition
  const auto add = [&](Index t, pairs::Pair& to, pairs::Pair& next) {
    const pairs::Four x = pairs::load(v + t);
    to += x.low * pairs::Pair{w[c[t]], w[c[t + 1]]};
    next += x.high * pairs::Pair{w[c[t + 2]], w[c[t + 3]]};
  };
  Index t = 0;
  for (; t + 8 <= n; t += 8) {
    add(t, s0, s1);
    add(t + 4, s2, s3);
  }
  if (t + 4 <= n) {
    add(t, s0, s1);
    t += 4;
  }
  s0 = (s0 + s1) + (s2 + s3);
  double sum = s0[0] + s0[1];
  for (; t < n; ++t) sum += static_cast<double>(v[t]) * w[c[t]];
  return sum;
}

/// sum v[t]^2.
template <class T>
inline double sum_of_squares(const T* v, Index n) {
  pairs::Pair s0 = {}, s1 = {};
  Index t = 0;
  for (; t + 4 <= n; t += 4) {
    const pairs::Four x = pairs::load(v + t);
    s0 += x.low * x.low;
    s1 += x.high * x.high;
  }
  s0 += s1;
  double sum = s0[0] + s0[1];
  for (; t < n; ++t) sum += static_cast<double>(v[t]) * static_cast<double>(v[t]);
  return sum;
}

/// w[c[t]] += a v[t]; no column twice.
template <class T, class Column>
inline void sparse_add(const T* v, const Column* c, Index n, double a, double* w) {
  Index t = 0;
  for (; t + 4 <= n; t += 4) {
    double *const w0 = w + c[t], *const w1 = w + c[t + 1], *const w2 = w + c[t + 2], *const w3 = w + c[t + 3];
    const pairs::Four x = pairs::load(v + t);
    const pairs::Pair low = pairs::Pair{*w0, *w1} + a * x.low, high = pairs::Pair{*w2, *w3} + a * x.high;
    *w0 = low[0];
    *w1 = low[1];
    *w2 = high[0];
    *w3 = high[1];
  }
  for (; t < n; ++t) w[c[t]] += a * static_cast<double>(v[t]);
}

inline constexpr Index kShortRow = 16;  ///< features: a product costs less than a call of the vector instructions

template <class T>
inline double dense_dot(const T* v, const double* w, Index n) {
  if (n > kShortRow) return simd::ops<T>().dot(v, w, n);
  pairs::Pair sum = {};
  Index j = 0;
  for (; j + 2 <= n; j += 2) sum += pairs::load_pair(v + j) * pairs::load_pair(w + j);
  return j < n ? sum[0] + sum[1] + static_cast<double>(v[j]) * w[j] : sum[0] + sum[1];
}

template <class T>
inline void dense_add(const T* v, Index n, double a, double* w) {
  if (n > kShortRow) return simd::ops<T>().accumulate(&a, &v, 1, 0, n, w);
  for (Index j = 0; j < n; ++j) w[j] += a * static_cast<double>(v[j]);
}

/// w[j] += a[0] v[0][j], then a[1] v[1][j] and so on. Each row alone would wait for what the one before has stored.
template <class T>
inline void dense_add_together(const T* const* v, const double* a, Index n, double* w) {
  Index j = 0;
  for (; j + 2 <= n; j += 2) {
    pairs::Pair sum = pairs::load_pair(w + j);
    for (Index k = 0; k < kSums; ++k) sum += a[k] * pairs::load_pair(v[k] + j);
    std::memcpy(w + j, &sum, sizeof sum);
  }
  for (; j < n; ++j) {
    double sum = w[j];
    for (Index k = 0; k < kSums; ++k) sum += a[k] * static_cast<double>(v[k][j]);
    w[j] = sum;
  }
}

}  // namespace dcsvm::products
