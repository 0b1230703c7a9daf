// The kernels, in the order of their numbers, and how one is found by its number.
#pragma once

#include <cstddef>
#include <type_traits>

#include "kernel_functions/chi2.hpp"
#include "kernel_functions/exponential.hpp"
#include "kernel_functions/laplacian.hpp"
#include "kernel_functions/linear.hpp"
#include "kernel_functions/matern32.hpp"
#include "kernel_functions/matern52.hpp"
#include "kernel_functions/poly.hpp"
#include "kernel_functions/precomputed.hpp"
#include "kernel_functions/rbf.hpp"
#include "kernel_functions/sigmoid.hpp"
#include "kernel_functions/tanimoto.hpp"

namespace dcsvm::kernels {

template <class... K>
struct List {
  static constexpr KernelType kTypes[] = {K::kType...};
};
using All = List<Linear, Poly, Rbf, Sigmoid, Precomputed, Exponential, Matern32, Matern52, Laplacian, Chi2, Tanimoto>;

constexpr bool every_kernel_is_listed() {
  constexpr std::size_t kListed = sizeof(All::kTypes) / sizeof(KernelType);
  bool all = kListed == number_of_values<KernelType>();
  for (std::size_t i = 0; i < kListed; ++i) all = all && All::kTypes[i] == static_cast<KernelType>(i);
  return all;
}
static_assert(every_kernel_is_listed(), "a KernelType has no struct in the list above, or stands elsewhere in it");

template <class Use, class First, class... Rest>
constexpr auto with_one_of(List<First, Rest...>, const KernelParams& kernel, const Use& use) {
  static_assert(std::is_base_of_v<Distance, First> == First::kDistance, "a kernel is a Distance where kDistance says so");
  if constexpr (sizeof...(Rest) > 0) {
    if (kernel.type != First::kType) return with_one_of(List<Rest...>{}, kernel, use);
  }
  return use(First{kernel});
}
/// Returns use(Struct{kernel}).
template <class Use>
constexpr auto with_kernel(const KernelParams& kernel, const Use& use) {
  return with_one_of(All{}, kernel, use);
}

/// Returns use(Struct{kernel}) of a kernel of distances, else `otherwise`.
template <class Result, class Use>
Result with_distance(const KernelParams& kernel, Result otherwise, const Use& use) {
  return with_kernel(kernel, [&](const auto& k) -> Result {
    using K = std::decay_t<decltype(k)>;
    if constexpr (K::kDistance) {
      return use(k);
    } else {
      return otherwise;
    }
  });
}

}  // namespace dcsvm::kernels
