// What a kernel is. Each has one file in this folder, which says all of it but what the world sees, its number, name, formula and
// parameters (dcsvm/kernel_params.hpp), and its line in all.hpp. Everything else asks these structs.
//
// Every struct says
//   kType               its number
//   value(lanes, ...)   K in the tiles, on vectors. `lanes` has the parameters and the operations (simd/map_impl.hpp: Lanes); the
//                       arguments are the sum of terms (x'y), or the distance, or with kRatio x'y and |x|^2 + |y|^2 - x'y
//   kTerm, kDistance    what is summed over the features, and whether K is a function of a distance
//   kUnit               whether K(x, x) = 1
//   kRatio              whether it divides by |x|^2, which must then not be below float's range
//   of_itself(s)        K(x, x) of a point with |x|^2 = s
//   largest(s)          a bound of |K| among points with |x|^2 <= s, to which the rounding of a value is relative
//   single_error(s)     the error of a float value in units of float's rounding error, besides that of the value itself
//   rounding(of)        of a kernel that is no function of a distance: how far its values are from the exact ones
//   kGradient, gradient()   whether the gradient by x is formed, and how
//   kProduct, log_factor(gamma, d)   whether K = prod_k exp(log_factor(gamma, x_k - y_k)), which has Shapley values
// and a function of a distance (Distance is its base) moreover, for t = |x - y|^2 or the sum of the features' distances:
//   kShifts             whether K(x + c, y + c) = K(x, y), so that a tile may move its points
//   kFactors            whether K = f(x) g(y) h(x'y), so that an error of |x|^2 is one factor of x's whole row
//   slope(t)            the largest |dK / dt| beyond t
//   of_distance()       the largest |t dK / dt|
//   relative(c)         the rounding of a value, in u, where that of t is c u relative to t
//   of_length()         the largest |dK / dr|: t = r^2, or t = r of a sum
//   path(r)             a bound of |phi(x) - phi(y)| in the space of the kernel, for points r apart
//   of_log_gamma(), log_gamma_norm(d)   the largest |dK / dlog gamma|, and the norm of that derivative in the space of the kernel
//   gamma_error<T>()    the relative error of gamma as the tiles of T multiply with it
//   kOfTerm, kOfFeature where terms are no products: roundings of a feature's distance, and its largest derivative
// value() is compiled for each instruction set, by sources that use no function of this folder that is not a template of their
// own types.
#pragma once

#include <cmath>
#include <limits>

#include "dcsvm/kernel_params.hpp"
#include "kernel_functions/rounding.hpp"

namespace dcsvm::kernels {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
const double kE = std::exp(1.0);

/// What is added up over the features of two points: xy; of |x - y| and of (x - y)^2 / (x + y) the part that both points have in
/// common, so that the sum over the features is (norm of x) + (norm of y) - 2 (sum of terms). Each is 0 where x or y is. A norm
/// is the sum of the terms of a point with itself: |x|^2, and for the others |x|_1. Their functions are in simd/map_impl.hpp.
enum class Term { product, smaller, harmonic };

/// The gradient of K(x, y) by x: slope (y - x) of a kernel of |x - y|, slope y of one of x'y. The slope is formed from K', a
/// value under `kernel`: value: factor K', tanh: factor (1 - K'^2), length: K' = exp(-t) and the slope is factor K' / t; 0 for
/// equal points, where such a kernel has no gradient.
struct Gradient {
  enum class Form { value, tanh, length };
  KernelParams kernel;
  double factor = 1.0;
  Form form = Form::value;
  bool of_difference = false;

  double operator()(double value) const {
    switch (form) {
      case Form::tanh: return factor * (1.0 - value * value);
      case Form::length: return value < 1.0 ? -factor * value / std::log(value) : 0.0;
      case Form::value: break;
    }
    return factor * value;
  }
};

/// What holds of a kernel that does not say otherwise.
struct Kernel {
  static constexpr Term kTerm = Term::product;
  static constexpr bool kDistance = false, kUnit = false, kRatio = false, kProduct = false, kGradient = false;

  const KernelParams& p;
};

/// With values up to 1, and 1 of a point with itself.
struct Unit : Kernel {
  static constexpr bool kUnit = true;
  double of_itself(double) const { return 1.0; }
  double largest(double) const { return 1.0; }
};

/// A function of gamma times a distance.
struct Distance : Unit {
  static constexpr bool kDistance = true;
  double gamma() const { return p.gamma; }
  /// Where values are exp(-a) times a polynomial of a = factor gamma r: the exponent is to base 2, and the factors of what r is
  /// multiplied with are rounded one by one.
  template <class T>
  static double error_of_exponent(double gamma, double factor) {
    const double wanted = gamma * factor * 1.4426950408889634074;
    const T rounded = static_cast<T>(gamma) * (factor == 1.0 ? T(1) : static_cast<T>(factor));
    return std::abs(static_cast<double>(rounded * static_cast<T>(1.4426950408889634074)) / wanted - 1.0) + 1e-15;
  }
  template <class T>
  double gamma_error() const {
    return error_of_exponent<T>(gamma(), 1.0);
  }
};

}  // namespace dcsvm::kernels
