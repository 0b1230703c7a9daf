// What the tests of leaf operations share: random values, and the kernel maps by their definitions.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "kernel_twin.hpp"
#include "kernels/kernel_traits.hpp"
#include "simd/ops.hpp"

namespace twin {

template <class T>
constexpr double kEps = static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
std::vector<T> uniform(dcsvm::Index n, dcsvm::base::Random& random, double lo = -1, double hi = 1) {
  std::vector<T> v(n);
  for (T& e : v) e = static_cast<T>(lo + (hi - lo) * random.uniform());
  return v;
}

/// K from sums over the features.
template <class T>
long double mapped(const dcsvm::simd::MapParams<T>& p, const kernel_twin::Sums& sums) {
  return kernel_twin::value(p.kind, static_cast<long double>(p.gamma), static_cast<long double>(p.coef0), p.degree, sums);
}
/// K from the inner product and the squared distance.
template <class T>
long double mapped(const dcsvm::simd::MapParams<T>& p, long double inner, long double d2) {
  kernel_twin::Sums sums;
  sums.inner = inner;
  sums.squares = d2;
  return mapped(p, sums);
}

}  // namespace twin
