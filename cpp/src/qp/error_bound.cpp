#include "qp/error_bound.hpp"

#include <algorithm>
#include <cmath>

namespace dcsvm::qp {

namespace {

// Roundings of exact_products() in u max|K| |b|_1: a product is rounded, its sum with another one, and that with two more. All of
// them at their worst.
constexpr double kOfFours = 3.0;
constexpr double kDoubleRounding = 0x1p-53;

double of_shared(const kernels::Rounding& rounding, double norm1, double norm_of_f) {
  const double shared = rounding.shared * norm1;
  if (!(norm_of_f >= 0) || !std::isfinite(rounding.shared_norm)) return shared;
  return std::min(shared, rounding.shared_norm * norm_of_f);
}

// What an error of 1 in all values of a row comes to.
double of_row(const kernels::Rounding& rounding, double norm1, double norm_of_f) {
  return rounding.of_row_is_factor && norm_of_f >= 0 ? std::min(norm1, norm_of_f) : norm1;
}

}  // namespace

double largest(const std::vector<GradientError>& errors, double GradientError::* of) {
  return (*std::max_element(errors.begin(), errors.end(), [of](const auto& a, const auto& b) { return a.*of < b.*of; })).*of;
}

double factor_of(double rows, double failure) { return std::sqrt(2.0 * std::log(2.0 * std::max(rows, 1.0) / failure)); }

GradientError error_bound(const kernels::Rounding& rounding, Index n, const Change& change, double norm_of_f, double left_out) {
  const auto& [norm1, norm2, path1, path2] = change;
  const double factor = factor_of(static_cast<double>(n), kFailure), of_sums = rounding.sums * path2;
  const double shared = of_shared(rounding, norm1, norm_of_f), row = of_row(rounding, norm1, norm_of_f);
  GradientError error;
  error.coherent = rounding.largest * (rounding.by_columns ? path1 : norm1) + rounding.of_row_largest * row +
                   rounding.of_step * norm1 + factor * of_sums + shared + left_out;
  const double of_values = rounding.deviation * (rounding.by_columns ? path2 : norm2);
  error.bound = factor * std::hypot(of_values, of_sums, rounding.of_row * row) + shared + left_out;
  if (rounding.alike) error.bound = error.coherent;
  error.likely = rounding.typical * path2 + left_out;
  return error;
}

double bound_of_additions(Index n, double largest, double additions) {
  constexpr double kForming = 3.0;  // K b is at most twice the largest, and its sum with q is rounded too
  return kDoubleRounding * largest * (kForming + factor_of(static_cast<double>(n), kFailure) * std::sqrt(additions));
}

double bound_of_formed(const kernels::Rounding& rounding, double norm1, double norm_of_f) {
  return (rounding.largest + kOfFours * kDoubleRounding * rounding.value) * norm1 + of_shared(rounding, norm1, norm_of_f) +
         rounding.of_row_largest * of_row(rounding, norm1, norm_of_f);
}

double bound_of_updated(const kernels::Rounding& rounding, Index n, double path, double norm1, double norm_of_f) {
  const auto m = static_cast<double>(n);
  const double of_sums = (m + 2.0) * std::sqrt(0.5) * kDoubleRounding * rounding.value * path;
  return rounding.largest * norm1 + factor_of(m, kFailure) * of_sums + of_shared(rounding, norm1, norm_of_f) +
         rounding.of_row_largest * of_row(rounding, norm1, norm_of_f);
}

double largest_on_the_way(const kernels::Rounding& rounding, double largest_q, double objective) {
  constexpr double kBeyond = 3.0;  // 2, and what the objective still falls
  return largest_q + kBeyond * std::sqrt(2.0 * rounding.value * std::max(-objective, 0.0));
}

}  // namespace dcsvm::qp
