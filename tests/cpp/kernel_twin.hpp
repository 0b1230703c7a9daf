// The kernels by their definitions, in long double: the slow twin of every test that knows values.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "dcsvm/kernel_params.hpp"

namespace kernel_twin {

/// What kernels are functions of: sums over the features of two points.
struct Sums {
  long double inner = 0, x2 = 0, y2 = 0, squares = 0, sizes = 0, chi2 = 0;

  void add(long double x, long double y) {
    const long double apart = x - y;
    inner += x * y;
    x2 += x * x;
    y2 += y * y;
    squares += apart * apart;
    sizes += std::abs(apart);
    chi2 += x + y == 0 ? 0 : apart * apart / (x + y);
  }
};

inline long double value(dcsvm::KernelType type, long double gamma, long double coef0, int degree, const Sums& s) {
  using dcsvm::KernelType;
  const long double z = gamma * s.inner + coef0, a = gamma * std::sqrt(s.squares);
  const long double a3 = std::sqrt(3.0L) * a, a5 = std::sqrt(5.0L) * a, either = s.x2 + s.y2 - s.inner;
  switch (type) {
    case KernelType::linear: return s.inner;
    case KernelType::poly: return std::pow(z, static_cast<long double>(degree));
    case KernelType::rbf: return std::exp(-gamma * s.squares);
    case KernelType::sigmoid: return std::tanh(z);
    case KernelType::exponential: return std::exp(-a);
    case KernelType::matern32: return (1 + a3) * std::exp(-a3);
    case KernelType::matern52: return (1 + a5 + a5 * a5 / 3) * std::exp(-a5);
    case KernelType::laplacian: return std::exp(-gamma * s.sizes);
    case KernelType::chi2: return std::exp(-gamma * s.chi2);
    case KernelType::tanimoto: return either == 0 ? 1 : s.inner / either;
    case KernelType::precomputed: break;
  }
  return 0;
}

/// All that are computed from points: a new one is in every test that asks for all.
inline std::vector<dcsvm::KernelType> all_types() {
  std::vector<dcsvm::KernelType> all;
  for (std::size_t i = 0; i < dcsvm::number_of_values<dcsvm::KernelType>(); ++i) {
    if (const auto type = static_cast<dcsvm::KernelType>(i); type != dcsvm::KernelType::precomputed) all.push_back(type);
  }
  return all;
}

/// Of points a and b of d features.
template <class Point>
long double value(const dcsvm::KernelParams& p, const Point& a, const Point& b, std::ptrdiff_t d) {
  Sums sums;
  for (std::ptrdiff_t k = 0; k < d; ++k) sums.add(a[k], b[k]);
  return value(p.type, p.gamma, p.coef0, p.degree, sums);
}

}  // namespace kernel_twin
