#include "kernels/kernel_traits.hpp"

#include <type_traits>

#include "kernel_functions/all.hpp"

namespace dcsvm::kernels {

namespace {

// tell(K()) of the kernel's struct K, for what it says of itself without parameters.
template <class K>
struct Of {
  using Kernel = K;
};
template <class Tell>
auto told(KernelType type, const Tell& tell) {
  KernelParams kernel;
  kernel.type = type;
  return with_kernel(kernel, [&](const auto& k) { return tell(Of<std::decay_t<decltype(k)>>()); });
}

}  // namespace

Term term_of(KernelType type) {
  return told(type, [](auto its) { return decltype(its)::Kernel::kTerm; });
}
bool takes_distance(KernelType type) {
  return told(type, [](auto its) { return decltype(its)::Kernel::kDistance; });
}
bool takes_squared_distance(KernelType type) { return takes_distance(type) && term_of(type) == Term::product; }
bool byte_products_serve(KernelType type) { return term_of(type) == Term::product; }
bool is_unit(KernelType type) {
  return told(type, [](auto its) { return decltype(its)::Kernel::kUnit; });
}
bool is_ratio(KernelType type) {
  return told(type, [](auto its) { return decltype(its)::Kernel::kRatio; });
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
