#include "kernels/kernel_traits.hpp"

#include <type_traits>

#include "kernels/kernel_functions.hpp"

namespace dcsvm::kernels {

simd::Map map_of(KernelType type) {
  KernelParams kernel;
  kernel.type = type;
  return with_kernel(kernel, [](const auto& k) { return std::decay_t<decltype(k)>::kMap; });
}

bool is_unit(KernelType type) {
  KernelParams kernel;
  kernel.type = type;
  return with_kernel(kernel, [](const auto& k) { return std::decay_t<decltype(k)>::kUnit; });
}

double of_itself(const KernelParams& kernel, double norm2) {
  return with_kernel(kernel, [&](const auto& k) { return k.of_itself(norm2); });
}

double largest_value(const data::Summary& x, const KernelParams& kernel, base::ThreadPool& pool) {
  return is_unit(kernel.type) ? 1.0 : with_kernel(kernel, [&](const auto& k) { return k.largest(x.largest_norm2(pool)); });
}

double single_error_scale(const KernelParams& kernel, double norm2) {
  return with_kernel(kernel, [&](const auto& k) { return k.single_error(norm2); });
}

}  // namespace dcsvm::kernels
