#include "kernels/kernel_traits.hpp"

#include <cmath>

namespace dcsvm::kernels {

// The switches have no default: the compiler names a kernel that is missing.

simd::Map map_of(KernelType type) {
  switch (type) {
    case KernelType::poly: return simd::Map::poly;
    case KernelType::rbf: return simd::Map::rbf;
    case KernelType::sigmoid: return simd::Map::sigmoid;
    case KernelType::linear:
    case KernelType::precomputed: break;
  }
  return simd::Map::linear;
}

double of_itself(const KernelParams& kernel, double norm2) {
  switch (kernel.type) {
    case KernelType::linear: return norm2;
    case KernelType::poly: return std::pow(kernel.gamma * norm2 + kernel.coef0, kernel.degree);
    case KernelType::sigmoid: return std::tanh(kernel.gamma * norm2 + kernel.coef0);
    case KernelType::rbf:
    case KernelType::precomputed: break;
  }
  return 1.0;
}

double largest_value(const data::Summary& x, const KernelParams& kernel, base::ThreadPool& pool) {
  switch (kernel.type) {
    case KernelType::linear: return x.largest_norm2(pool);
    case KernelType::poly: return std::pow(kernel.gamma * x.largest_norm2(pool) + std::abs(kernel.coef0), kernel.degree);
    case KernelType::sigmoid: return 1.0 + kernel.gamma * x.largest_norm2(pool);
    case KernelType::rbf:
    case KernelType::precomputed: break;
  }
  return 1.0;
}

double single_error_scale(const KernelParams& kernel, double norm2) {
  switch (kernel.type) {
    case KernelType::linear: return norm2;
    case KernelType::poly:
      return std::pow(std::abs(kernel.gamma) * norm2 + std::abs(kernel.coef0), kernel.degree) * kernel.degree;
    case KernelType::rbf: return 4.0 * kernel.gamma * norm2;
    case KernelType::sigmoid: return std::abs(kernel.gamma) * norm2 + std::abs(kernel.coef0);
    case KernelType::precomputed: break;
  }
  return 0.0;
}

}  // namespace dcsvm::kernels
