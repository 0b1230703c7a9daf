#include "qp/error_bound.hpp"

#include <algorithm>
#include <cmath>

namespace dcsvm::qp {

namespace {

constexpr double kFailure = 1e-12;  // probability that any gradient is further off than the bound
// Roundings of a strip's sum (simd::tile_sum: up to 8 products, each with its coefficient rounded too), in u max|K| |d|_2.
constexpr double kOfSums = 8.0;

}  // namespace

GradientError error_bound(const kernel_matrix::Rounding& rounding, Index n, double b2, double b1, double f, double moved,
                          double left_out) {
  const double factor = std::sqrt(2.0 * std::log(2.0 * static_cast<double>(std::max<Index>(n, 1)) / kFailure));
  const double of_sums = kOfSums * kFloatRounding * rounding.value * std::sqrt(moved);
  double shared = rounding.shared * b1;
  if (f >= 0 && std::isfinite(rounding.shared_norm)) shared = std::min(shared, rounding.shared_norm * f);
  GradientError error;
  error.bound = factor * std::hypot(rounding.deviation * b2, of_sums) + shared + left_out;
  error.coherent = rounding.largest * b1 + factor * of_sums + shared + left_out;
  error.likely = rounding.typical * std::sqrt(b2 * b2 + moved) + left_out;
  return error;
}

}  // namespace dcsvm::qp
