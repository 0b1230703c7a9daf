#include "kernels/precision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel_functions/all.hpp"
#include "kernels/kernel_traits.hpp"

namespace dcsvm::kernels {

namespace {

constexpr double kMost = 0.5 * static_cast<double>(std::numeric_limits<float>::max());
// Of squares of lengths: 1 / kMostSquare keeps all of float's digits, and so do numbers that are smaller by another 2^-24.
constexpr double kMostSquare = 1e24;

// What a kernel of `k` loses in float, in units of 2^-22.
template <class K>
double lost_digits(const K& k, const data::Summary& x, base::ThreadPool& pool) {
  if constexpr (K::kTerm == Term::product) {
    const double norm2 = x.largest_centred_norm2(pool);
    const double lost = k.slope(0.0) * norm2;
    return std::isfinite(lost) ? lost : k.gamma() * k.gamma() * norm2;  // near points have their digits from differences
  } else {
    return k.slope(0.0) * x.largest_sum(pool);
  }
}

}  // namespace

// Float kernel values are not enough when
// - exponents, which are formed to base 2, or values overflow, or squares underflow; or
// - |x|^2 + |y|^2 - 2xy, wrong by about 2^-22 |x|^2 (after the shift), times gamma is no longer small (integer products are
//   exact, see kernels/byte_points.hpp).
Precision choose_precision(const data::Summary& x, const KernelParams& kernel, Precision asked, base::ThreadPool& pool) {
  if (asked == Precision::double_ || kernel.type == KernelType::precomputed) return asked;
  if (kernel.gamma > kMost) return Precision::double_;
  const bool of_length = traits_of(kernel.type).gamma_of == GammaOf::length;
  if (of_length && kernel.gamma * kernel.gamma > kMostSquare) return Precision::double_;
  if (is_ratio(kernel.type) && x.smallest_norm2(pool) < 1.0 / kMostSquare) return Precision::double_;
  constexpr double kNone = -1.0;  // no distances
  const double lost = with_distance(kernel, kNone, [&](const auto& k) { return lost_digits(k, x, pool); });
  if (lost == kNone) {
    const double sums = is_ratio(kernel.type) ? 3.0 : 1.0;  // |x|^2 + |y|^2 - x'y, where x'y may be negative
    const double largest = std::max(sums * x.largest_norm2(pool), largest_value(x, kernel, pool));
    return largest > kMost ? Precision::double_ : Precision::single_;
  }
  if (x.largest_centred_norm2(pool) > 0.5 * kMost) return Precision::double_;  // a distance is up to four times that
  constexpr double kTolerated = 1e-3;
  if (lost * 0x1.0p-22 <= kTolerated) return Precision::single_;
  return byte_products_serve(kernel.type) && x.byte_grid(true, pool).step > 0 ? Precision::single_ : Precision::double_;
}

}  // namespace dcsvm::kernels
