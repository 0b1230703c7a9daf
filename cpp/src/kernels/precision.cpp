#include "kernels/precision.hpp"

#include <cmath>
#include <limits>

#include "data/statistics.hpp"
#include "kernels/byte_points.hpp"

namespace dcsvm::kernels {

namespace {

// An upper bound of |K|, in units of which its rounding is a few half-ulps (precomputed: not looked for). tanh passes on its
// argument's rounding.
double largest_value(const DataView& x, const KernelParams& kernel, base::ThreadPool& pool) {
  switch (kernel.type) {
    case KernelType::linear: return data::largest_norm2(x, pool, false);
    case KernelType::poly:
      return std::pow(kernel.gamma * data::largest_norm2(x, pool, false) + std::abs(kernel.coef0), kernel.degree);
    case KernelType::sigmoid: return 1.0 + kernel.gamma * data::largest_norm2(x, pool, false);
    default: return 1.0;
  }
}

}  // namespace

// Float kernel values are not enough when
// - |x|^2 + |y|^2 - 2xy, wrong by about 2^-22 |x|^2 (after the shift), times gamma is no longer small (integer products are
//   exact, see kernels/byte_points.hpp); or
// - gradients, sums of up to n values times C, are rounded by more than tol can bear. Small problems can afford to be strict.
Precision choose_precision(const DataView& x, const KernelParams& kernel, Precision asked, double tol, double largest_C,
                           base::ThreadPool& pool) {
  if (asked == Precision::double_) return asked;
  constexpr double kMostGamma = 0.5 * static_cast<double>(std::numeric_limits<float>::max());  // exponents are formed to base 2
  if (kernel.gamma > kMostGamma) return Precision::double_;
  constexpr double kTolerated = 1e-3;
  constexpr Index kSmall = 5000;
  const double rounding = 0x1.0p-24 * largest_C * std::sqrt(static_cast<double>(rows_of(x))) * largest_value(x, kernel, pool);
  if (rounding > tol * (rows_of(x) <= kSmall ? 0.2 : 10.0)) return Precision::double_;
  if (kernel.type != KernelType::rbf) return Precision::single_;
  if (kernel.gamma * data::largest_norm2(x, pool) * 0x1.0p-22 <= kTolerated) return Precision::single_;
  return find_byte_grid(x, nullptr, rows_of(x), true, pool).step > 0 ? Precision::single_ : Precision::double_;
}

}  // namespace dcsvm::kernels
