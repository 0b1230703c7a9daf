#include "kernels/precision.hpp"

#include <algorithm>
#include <limits>

#include "kernels/kernel_traits.hpp"

namespace dcsvm::kernels {

// Float kernel values are not enough when
// - exponents, which are formed to base 2, or values overflow; or
// - |x|^2 + |y|^2 - 2xy, wrong by about 2^-22 |x|^2 (after the shift), times gamma is no longer small (integer products are
//   exact, see kernels/byte_points.hpp).
Precision choose_precision(const data::Summary& x, const KernelParams& kernel, Precision asked, base::ThreadPool& pool) {
  if (asked == Precision::double_ || kernel.type == KernelType::precomputed) return asked;
  constexpr double kMost = 0.5 * static_cast<double>(std::numeric_limits<float>::max());
  if (kernel.gamma > kMost) return Precision::double_;
  if (kernel.type != KernelType::rbf) {
    const double largest = std::max(x.largest_norm2(pool), largest_value(x, kernel, pool));
    return largest > kMost ? Precision::double_ : Precision::single_;
  }
  if (x.largest_centred_norm2(pool) > kMost) return Precision::double_;
  constexpr double kTolerated = 1e-3;
  if (kernel.gamma * x.largest_centred_norm2(pool) * 0x1.0p-22 <= kTolerated) return Precision::single_;
  return x.byte_grid(true, pool).step > 0 ? Precision::single_ : Precision::double_;
}

}  // namespace dcsvm::kernels
