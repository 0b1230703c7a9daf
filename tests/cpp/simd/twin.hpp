// What the tests of leaf operations share: random values, and the kernel maps by their definitions.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
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

/// K from the inner product and the squared distance.
template <class T>
long double mapped(const dcsvm::simd::MapParams<T>& p, long double inner, long double d2) {
  using dcsvm::simd::Map;
  const long double z = static_cast<long double>(p.gamma) * inner + static_cast<long double>(p.coef0);
  switch (p.kind) {
    case Map::linear: return inner;
    case Map::poly: return std::pow(z, static_cast<long double>(p.degree));
    case Map::rbf: return std::exp(-static_cast<long double>(p.gamma) * d2);
    case Map::sigmoid: return std::tanh(z);
  }
  return 0;
}

}  // namespace twin
