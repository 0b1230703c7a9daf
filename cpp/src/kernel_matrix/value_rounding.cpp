// Bounds of the rounding errors of kernel values, by kernel and by how the points are packed. u is half a unit in the last place
// of 1. Constants are those of the operations in simd/map_impl.hpp, exp_impl.hpp, tile_impl.hpp and bytes_impl.hpp; the tests
// compare them with values in long double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "data/read.hpp"
#include "dcsvm/data.hpp"
#include "kernel_matrix/plan.hpp"
#include "kernels/kernel_traits.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernel_matrix {

namespace {

using kernels::Form;

// An inner product of d terms is a sum of d fused operations, each rounded by at most u times the partial sum. Of partial sums
// that grow evenly to |x| |y| the root of the sum of the squares is sqrt(d / 3) of that. Sums that grow unevenly reach 1.7 times
// as much. Roundings of equal products have one sign for long stretches; no partial sum is above |x| |y|, so that they come to at
// most d times.
double of_inner_product(Index d) { return 1.0 + std::sqrt(static_cast<double>(d) / 3.0); }
double largest_of_inner_product(Index d) { return 1.0 + static_cast<double>(d); }
// |x|^2, which the values of a row share, in its deviations: more is seen only of long rows of equal features.
constexpr double kLargestOfNorm = 3.0;

constexpr double kOfExp = 2.0;       // roundings of the exponential and its result, in u
constexpr double kOfExponent = 3.0;  // of the exponent: its product with gamma and, of bytes, its conversion and its scale

template <class T>
Rounding of_rbf(const Plan<T>& plan, const data::Summary& x, const KernelParams& kernel, double u, base::ThreadPool& pool) {
  const auto d = static_cast<double>(cols_of(x));
  // max over t of exp(-t) (kOfExp + c t), t = gamma |x - y|^2, for relative errors c u of t.
  const auto relative = [](double c) { return c > kOfExp ? c * std::exp(kOfExp / c - 1.0) : kOfExp; };
  // The slope of K as a function of the distance r is at most sqrt(2 gamma / e), and as one of log gamma at most 1 / e. In the
  // space of the kernel the derivative of phi(x) along a unit vector has the norm sqrt(2 gamma), and that of K(x, .) by log gamma
  // the norm sqrt(d / 2): its spectrum is that of K times |w|^2 / (4 gamma) - d / 2, whose variance under a normal density it is.
  const double scale = static_cast<double>(static_cast<T>(kernel.gamma) * static_cast<T>(1.4426950408889634074));
  const double of_gamma = std::abs(scale / (kernel.gamma * 1.4426950408889634074) - 1.0) + 1e-15;
  Rounding r;
  r.typical = u;
  r.gamma = of_gamma;
  r.shared = of_gamma / std::exp(1.0);
  r.shared_norm = of_gamma * std::sqrt(0.5 * d);
  if (plan.form == Form::bytes) {
    r.largest = r.deviation = u * relative(kOfExponent);
    r.shared += u / std::exp(1.0);  // the grid's step, squared
    r.shared_norm += u * std::sqrt(0.5 * d);
    r.gamma += u;  // it has the step's effect: on all distances alike
    return r;
  }
  const double norm2 =
      plan.shift.empty() ? x.largest_norm2(pool) : largest_shifted_norm2(x, nullptr, rows_of(x), plan.shift, pool);
  const double inner = of_inner_product(cols_of(x));
  // From |x|^2 + |y|^2 - 2xy: |x|^2 is shared, the rest is of this value; K <= 1, or what is left of it beyond near_below.
  const double reach = plan.map.near_below > T(0) ? std::exp(-kernel.gamma * static_cast<double>(plan.map.near_below)) : 1.0;
  const bool by_region = plan.reach.limit2 > T(0) && !plan.reach.differences;
  const double lost = std::max(kernel.gamma * norm2 * reach, by_region ? lost_in_region<T>() : 0.0);
  if (!(plan.map.near_below > T(0))) r.typical = std::max(r.typical, 2.0 * u * lost);
  const double features = u * std::sqrt(norm2) * std::sqrt(2.0 * kernel.gamma / std::exp(1.0));
  const double of_distance = u * lost * std::sqrt(5.0 * inner * inner + 4.0);
  r.deviation = std::hypot(of_distance, u * relative(kOfExponent + inner), features);
  const double worst = largest_of_inner_product(cols_of(x));
  r.largest = u * lost * (3.0 * worst + 2.0) + u * relative(kOfExponent + worst) + features;
  r.shared += kLargestOfNorm * (u * lost * inner + features);
  r.shared_norm += kLargestOfNorm * (u * lost * inner + u * std::sqrt(norm2) * std::sqrt(2.0 * kernel.gamma));
  return r;
}

// Of v = gamma xy + coef0, |v| <= argument: what is rounded in one value, and in gamma, coef0 and the features of x_i.
struct Argument {
  double deviation, largest, shared;
};
template <class T>
Argument of_argument(const Plan<T>& plan, const data::Summary& x, const KernelParams& kernel, double u, base::ThreadPool& pool) {
  const double product = kernel.gamma * x.largest_norm2(pool);
  const bool bytes = plan.form == Form::bytes;
  const auto own = [&](double of_sum) { return u * ((bytes ? 3.0 : 2.0 + of_sum) * product + std::abs(kernel.coef0)); };
  const Index d = cols_of(x);
  return {own(of_inner_product(d)), own(largest_of_inner_product(d)),
          u * ((bytes ? 2.0 : 3.0) * product + std::abs(kernel.coef0))};
}

}  // namespace

double largest_shifted_norm2(const DataView& x, const Index* idx, Index n, const std::vector<double>& shift,
                             base::ThreadPool& pool) {
  constexpr Index kRows = 64;
  const Index d = cols_of(x);
  std::vector<double> largest((n + kRows - 1) / kRows, 0.0);
  pool.for_each(static_cast<Index>(largest.size()), [&](Index task, int) {
    const Index first = task * kRows, m = std::min(kRows, n - first);
    std::vector<double> rows(m * d);
    data::copy_rows(x, idx, first, m, rows.data(), d, shift.data());
    for (Index i = 0; i < m; ++i) {
      const double* row = rows.data() + i * d;
      largest[task] = std::max(largest[task], simd::ops<double>().dot(row, row, d));
    }
  });
  return largest.empty() ? 0.0 : *std::max_element(largest.begin(), largest.end());
}

template <class T>
Rounding rounding_of(const Plan<T>& plan, const data::Summary& x, const KernelParams& kernel, base::ThreadPool& pool) {
  const double u = 0.5 * static_cast<double>(std::numeric_limits<T>::epsilon());
  if (kernel.type == KernelType::rbf) return of_rbf(plan, x, kernel, u, pool);
  Rounding r;
  const double largest = kernels::largest_value(x, kernel, pool);
  r.typical = u * largest;
  switch (kernel.type) {
    case KernelType::linear: {
      const bool bytes = plan.form == Form::bytes;
      r.value = largest;
      r.deviation = u * largest * (bytes ? 3.0 : 1.0 + of_inner_product(cols_of(x)));
      r.largest = u * largest * (bytes ? 3.0 : 1.0 + largest_of_inner_product(cols_of(x)));
      r.shared = u * largest;
      r.shared_norm = u * std::sqrt(largest);
      break;
    }
    case KernelType::poly: {
      const Argument error = of_argument(plan, x, kernel, u, pool);
      const double p = kernel.degree, argument = kernel.gamma * x.largest_norm2(pool) + std::abs(kernel.coef0);
      const double slope = p > 0 ? p * std::pow(argument, p - 1) : 0.0;
      r.value = largest;
      r.deviation = slope * error.deviation + u * 2.0 * p * largest;
      r.largest = slope * error.largest + u * 2.0 * p * largest;
      r.shared = slope * error.shared;
      // The parts of f of each degree are orthogonal in the space of the kernel, and the derivative by log gamma multiplies that
      // of degree k by k <= p.
      if (kernel.coef0 >= 0 && argument > 0) r.shared_norm = p * error.shared / argument * std::sqrt(largest);
      break;
    }
    case KernelType::sigmoid: {
      const Argument error = of_argument(plan, x, kernel, u, pool);
      r.deviation = error.deviation + 4.0 * u;  // tanh has a slope of at most 1
      r.largest = error.largest + 4.0 * u;
      r.shared = error.shared;
      break;
    }
    case KernelType::rbf:
    case KernelType::precomputed: break;
  }
  return r;
}

template Rounding rounding_of<float>(const Plan<float>&, const data::Summary&, const KernelParams&, base::ThreadPool&);
template Rounding rounding_of<double>(const Plan<double>&, const data::Summary&, const KernelParams&, base::ThreadPool&);

}  // namespace dcsvm::kernel_matrix
