#include "kernels/precision.hpp"

#include <cmath>
#include <limits>

namespace dcsvm::kernels {

namespace {

// An upper bound of |K|, to which the rounding of its values is relative (precomputed: not looked for). tanh has about the
// rounding of its argument.
double largest_value(const data::Summary& x, const KernelParams& kernel, base::ThreadPool& pool) {
  switch (kernel.type) {
    case KernelType::linear: return x.largest_norm2(pool);
    case KernelType::poly: return std::pow(kernel.gamma * x.largest_norm2(pool) + std::abs(kernel.coef0), kernel.degree);
    case KernelType::sigmoid: return 1.0 + kernel.gamma * x.largest_norm2(pool);
    default: return 1.0;
  }
}

}  // namespace

// Float kernel values are not enough when
// - |x|^2 + |y|^2 - 2xy, wrong by about 2^-22 |x|^2 (after the shift), times gamma is no longer small (integer products are
//   exact, see kernels/byte_points.hpp); or
// - the rounding of gradients, which are sums of up to n values times C, is large compared to tol. Small problems can afford a
//   strict limit.
Precision choose_precision(const data::Summary& x, const KernelParams& kernel, Precision asked, double tol, double largest_C,
                           base::ThreadPool& pool) {
  if (asked == Precision::double_) return asked;
  constexpr double kMostGamma = 0.5 * static_cast<double>(std::numeric_limits<float>::max());  // exponents are formed to base 2
  if (kernel.gamma > kMostGamma) return Precision::double_;
  constexpr double kTolerated = 1e-3;
  constexpr Index kSmall = 5000;
  const double rounding = 0x1.0p-24 * largest_C * std::sqrt(static_cast<double>(rows_of(x))) * largest_value(x, kernel, pool);
  if (rounding > tol * (rows_of(x) <= kSmall ? 0.2 : 10.0)) return Precision::double_;
  if (kernel.type != KernelType::rbf) return Precision::single_;
  if (kernel.gamma * x.largest_centred_norm2(pool) * 0x1.0p-22 <= kTolerated) return Precision::single_;
  return x.byte_grid(true, pool).step > 0 ? Precision::single_ : Precision::double_;
}

}  // namespace dcsvm::kernels
