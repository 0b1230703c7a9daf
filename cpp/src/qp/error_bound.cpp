#include "qp/error_bound.hpp"

#include <algorithm>
#include <cmath>

namespace dcsvm::qp {

namespace {

// Roundings of a strip's sum in u max|K| |d|_2 (simd::tile_sum): the k-th of up to 8 products is in 9 - k sums, and its
// coefficient is rounded too, so that the root of the sum of the squares is at most sqrt(1 + 1 + ... + 8) = 6.1.
constexpr double kOfSums = 8.0;
// The same of exact_products(), where a product is rounded, its sum with another one, and that with two more: sqrt(1 + 2 + 4).
constexpr double kOfSumsFormed = 2.7;
// The same of a solve in double, where up to 64 products are added up: sqrt(1 + 1 + ... + 64).
constexpr double kOfSumsUpdated = 46.0;
constexpr double kDoubleRounding = 0x1p-53;

constexpr double kLeaning = 0.125;  // of three deviations: by how much all values may lean to one side (judge.hpp)

double of_shared(const kernel_matrix::Rounding& rounding, double norm1, double norm_of_f) {
  const double shared = rounding.shared * norm1;
  if (!(norm_of_f >= 0) || !std::isfinite(rounding.shared_norm)) return shared;
  return std::min(shared, rounding.shared_norm * norm_of_f);
}

}  // namespace

double largest(const std::vector<GradientError>& errors, double GradientError::* of) {
  return (*std::max_element(errors.begin(), errors.end(), [of](const auto& a, const auto& b) { return a.*of < b.*of; })).*of;
}

double factor_of(double rows, double failure) { return std::sqrt(2.0 * std::log(2.0 * std::max(rows, 1.0) / failure)); }

GradientError error_bound(const kernel_matrix::Rounding& rounding, Index n, double norm2, double norm1, double norm_of_f,
                          double squared_steps, double left_out) {
  const double factor = factor_of(static_cast<double>(n), kFailure);
  const double of_sums = kOfSums * kFloatRounding * rounding.value * std::sqrt(squared_steps + norm2 * norm2);
  const double shared = of_shared(rounding, norm1, norm_of_f);
  GradientError error;
  error.bound = factor * std::hypot(rounding.deviation * norm2, of_sums) + shared + left_out;
  error.coherent = rounding.largest * norm1 + factor * of_sums + shared + left_out;
  const double leaning = kLeaning * 3.0 * rounding.deviation * norm1;
  error.leaning = leaning + factor * of_sums + shared + left_out;
  error.aligned = leaning + kLeaning * (factor * of_sums + shared) + left_out;
  error.likely = rounding.typical * std::sqrt(norm2 * norm2 + squared_steps) + left_out;
  return error;
}

double bound_of_additions(Index n, double largest, double additions) {
  constexpr double kForming = 2.0;  // of q, and of its sum with the products
  return kDoubleRounding * largest * (kForming + factor_of(static_cast<double>(n), kFailure) * std::sqrt(additions));
}

double bound_in_double(const kernel_matrix::Rounding& rounding, Index n, Formed formed, double norm2, double norm1,
                       double norm_of_f) {
  const double of_sums = (formed == Formed::anew ? kOfSumsFormed : kOfSumsUpdated) * kDoubleRounding * rounding.value;
  const double factor = factor_of(static_cast<double>(n), kFailure);
  return factor * std::hypot(rounding.deviation, of_sums) * norm2 + of_shared(rounding, norm1, norm_of_f);
}

}  // namespace dcsvm::qp
