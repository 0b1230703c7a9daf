// One struct for each kernel: what is known of it outside of the tiles. Beside this a kernel has a row in kernel_params.hpp (its
// name, formula and parameters) and its function of vectors in simd/map_impl.hpp; with_kernel() below leads from its number to
// its struct, and everything else asks that.
//
// Every struct says
//   kMap               the tiles' function; of given values none (linear)
//   kUnit              whether K(x, x) = 1
//   kRatio             whether it divides by |x|^2, which must then not be below float's range
//   of_itself(s)       K(x, x) of a point with |x|^2 = s
//   largest(s)         a bound of |K| among points with |x|^2 <= s, to which the rounding of a value is relative
//   single_error(s)    the error of a float value in units of float's rounding error, besides that of the value itself
// and a function of a distance (Distance is its base) moreover, for t = |x - y|^2 or the sum of the features' distances:
//   kShifts            whether K(x + c, y + c) = K(x, y), so that a tile may move its points
//   slope(t)           the largest |dK / dt| beyond t
//   of_distance()      the largest |t dK / dt|
//   relative(c)        the rounding of a value, in u, where that of t is c u relative to t
//   of_length()        the largest |dK / dr|: t = r^2, or t = r of a sum
//   path(r)            a bound of |phi(x) - phi(y)| in the space of the kernel, for points r apart
//   of_log_gamma(), log_gamma_norm(d)   the largest |dK / dlog gamma|, and the norm of that derivative in the space of the kernel
//   factor()           what gamma is multiplied with before it meets |x - y|
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "dcsvm/kernel_params.hpp"
#include "simd/ops.hpp"

namespace dcsvm::kernels {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
const double kE = std::exp(1.0);

struct Linear {
  static constexpr simd::Map kMap = simd::Map::linear;
  static constexpr bool kUnit = false, kRatio = false;
  const KernelParams& p;
  double of_itself(double s) const { return s; }
  double largest(double s) const { return s; }
  double single_error(double s) const { return s; }
};

struct Poly {
  static constexpr simd::Map kMap = simd::Map::poly;
  static constexpr bool kUnit = false, kRatio = false;
  const KernelParams& p;
  double of_itself(double s) const { return std::pow(p.gamma * s + p.coef0, p.degree); }
  double largest(double s) const { return std::pow(p.gamma * s + std::abs(p.coef0), p.degree); }
  double single_error(double s) const { return std::pow(std::abs(p.gamma) * s + std::abs(p.coef0), p.degree) * p.degree; }
};

/// largest() is that of the argument of tanh, which has about the rounding of its argument.
struct Sigmoid {
  static constexpr simd::Map kMap = simd::Map::sigmoid;
  static constexpr bool kUnit = false, kRatio = false;
  const KernelParams& p;
  double of_itself(double s) const { return std::tanh(p.gamma * s + p.coef0); }
  double largest(double s) const { return 1.0 + p.gamma * s; }
  double single_error(double s) const { return std::abs(p.gamma) * s + std::abs(p.coef0); }
};

/// With values up to 1, and 1 of a point with itself.
struct Unit {
  static constexpr bool kUnit = true;
  const KernelParams& p;
  double of_itself(double) const { return 1.0; }
  double largest(double) const { return 1.0; }
};

struct Precomputed : Unit {
  static constexpr bool kRatio = false;
  static constexpr simd::Map kMap = simd::Map::linear;
  double single_error(double) const { return 0.0; }
};

/// z / (|x|^2 + |y|^2 - z), z = x'y <= (|x|^2 + |y|^2) / 2: positive definite for all vectors, being the series of
/// z^k / (|x|^2 + |y|^2)^k. Relative errors of z and the norms become at most as many absolute ones of K, times 2 and 4.
struct Tanimoto : Unit {
  static constexpr simd::Map kMap = simd::Map::tanimoto;
  static constexpr bool kRatio = true;
  double single_error(double) const { return 10.0; }
};

/// A function of gamma times a distance.
struct Distance : Unit {
  static constexpr bool kRatio = false;
  double gamma() const { return p.gamma; }
  static constexpr double factor() { return 1.0; }
};

struct Rbf : Distance {
  static constexpr simd::Map kMap = simd::Map::rbf;
  static constexpr bool kShifts = true;
  double single_error(double s) const { return 4.0 * gamma() * s; }
  double slope(double t) const { return gamma() * std::exp(-gamma() * t); }
  double of_distance() const { return 1.0 / kE; }
  // max over a of exp(-a) (2 + c a), a = gamma t: the exponential and its result have 2 roundings.
  double relative(double c) const { return c > 2.0 ? c * std::exp(2.0 / c - 1.0) : 2.0; }
  double of_length() const { return std::sqrt(2.0 * gamma() / kE); }
  double path(double r) const { return r * std::sqrt(2.0 * gamma()); }
  double of_log_gamma() const { return 1.0 / kE; }
  // The spectrum is that of K times |w|^2 / (4 gamma) - d / 2, whose variance under a normal density the square is.
  double log_gamma_norm(double d) const { return std::sqrt(0.5 * d); }
};

/// Functions of gamma |x - y| whose spectrum is a^(2 nu) / (a^2 + |w|^2)^(nu + d / 2), a = sqrt(2 nu) gamma. The derivative by
/// log gamma multiplies it with 2 nu - (2 nu + d) b, b = a^2 / (a^2 + |w|^2), which has the density Beta(nu, d / 2).
struct Matern : Distance {
  static constexpr bool kShifts = true;
  double single_error(double s) const { return 1.0 + 4.0 * gamma() * gamma() * s; }
  static double log_gamma_norm_of(double nu, double d) { return std::sqrt(4.0 * nu * d / (2.0 * nu + d + 2.0)); }
};

/// exp(-a), a = gamma |x - y|. Its slope by |x - y|^2 has no bound at 0.
struct Exponential : Matern {
  static constexpr simd::Map kMap = simd::Map::exponential;
  double slope(double t) const { return gamma() * std::exp(-gamma() * std::sqrt(t)) / (2.0 * std::sqrt(t)); }
  double of_distance() const { return 0.5 / kE; }
  double relative(double c) const { return 3.0 + of_distance() * c; }
  double of_length() const { return gamma(); }
  double path(double r) const { return std::sqrt(2.0 * gamma() * r); }
  double of_log_gamma() const { return 1.0 / kE; }
  double log_gamma_norm(double d) const { return log_gamma_norm_of(0.5, d); }
};

/// (1 + a) exp(-a), a = sqrt(3) gamma |x - y|; dK / da = -a exp(-a).
struct Matern32 : Matern {
  static constexpr simd::Map kMap = simd::Map::matern32;
  static constexpr double factor() { return 1.7320508075688772; }
  double slope(double t) const { return 1.5 * gamma() * gamma() * std::exp(-factor() * gamma() * std::sqrt(t)); }
  double of_distance() const { return 2.0 * std::exp(-2.0); }
  double relative(double c) const { return 6.0 + of_distance() * c; }
  double of_length() const { return factor() * gamma() / kE; }
  double path(double r) const { return factor() * gamma() * r; }
  double of_log_gamma() const { return 4.0 * std::exp(-2.0); }
  double log_gamma_norm(double d) const { return log_gamma_norm_of(1.5, d); }
};

/// (1 + a + a^2 / 3) exp(-a), a = sqrt(5) gamma |x - y|; dK / da = -a (1 + a) exp(-a) / 3.
struct Matern52 : Matern {
  static constexpr simd::Map kMap = simd::Map::matern52;
  static constexpr double factor() { return 2.23606797749979; }
  double slope(double t) const {
    const double a = factor() * gamma() * std::sqrt(t);
    return 5.0 / 6.0 * gamma() * gamma() * (1.0 + a) * std::exp(-a);
  }
  double of_distance() const { return 0.5 * of_log_gamma(); }
  double relative(double c) const { return 8.0 + of_distance() * c; }
  double of_length() const { return 0.6262 * gamma(); }  // at a = (1 + sqrt(5)) / 2
  double path(double r) const { return std::sqrt(5.0 / 3.0) * gamma() * r; }
  double of_log_gamma() const { return 0.6046; }  // at a = 1 + sqrt(3)
  double log_gamma_norm(double d) const { return log_gamma_norm_of(2.5, d); }
};

/// exp(-gamma t) of a sum t of distances of features.
struct OfSum : Distance {
  double single_error(double s) const { return 4.0 * gamma() * s; }
  double slope(double t) const { return gamma() * std::exp(-gamma() * t); }
  double of_distance() const { return 1.0 / kE; }
  double relative(double c) const { return Rbf{{{p}}}.relative(c); }
  double of_length() const { return gamma(); }
  double of_log_gamma() const { return 1.0 / kE; }
};

/// The spectrum is a product over the features of Cauchy's: Exponential's with d = 1, d times.
struct Laplacian : OfSum {
  static constexpr simd::Map kMap = simd::Map::laplacian;
  static constexpr bool kShifts = true;
  static constexpr double kOfTerm = 1.0;  // roundings of a feature's distance
  static constexpr double kOfFeature = 1.0;  // the largest derivative of a feature's distance
  double path(double r) const { return std::sqrt(2.0 * gamma() * r); }
  double log_gamma_norm(double d) const { return std::sqrt(0.5 * d); }
};

/// t = |phi(x) - phi(y)|^2 in a space of endless dimension, where the derivative by log gamma has no norm that is known here.
struct Chi2 : OfSum {
  static constexpr simd::Map kMap = simd::Map::chi2;
  static constexpr bool kShifts = false;
  static constexpr double kOfTerm = 6.0;
  static constexpr double kOfFeature = 3.0;
  double log_gamma_norm(double) const { return kInfinite; }
  double path(double) const { return kInfinite; }
};

/// Returns use(Struct{kernel}). No default: the compiler names a kernel that is missing.
template <class Use>
constexpr auto with_kernel(const KernelParams& kernel, const Use& use) {
  switch (kernel.type) {
    case KernelType::linear: return use(Linear{kernel});
    case KernelType::poly: return use(Poly{kernel});
    case KernelType::rbf: return use(Rbf{{{kernel}}});
    case KernelType::sigmoid: return use(Sigmoid{kernel});
    case KernelType::exponential: return use(Exponential{{{{kernel}}}});
    case KernelType::matern32: return use(Matern32{{{{kernel}}}});
    case KernelType::matern52: return use(Matern52{{{{kernel}}}});
    case KernelType::laplacian: return use(Laplacian{{{{kernel}}}});
    case KernelType::chi2: return use(Chi2{{{{kernel}}}});
    case KernelType::tanimoto: return use(Tanimoto{{kernel}});
    case KernelType::precomputed: break;
  }
  return use(Precomputed{{kernel}});
}

/// Whether structs and maps fit: a kernel is a Distance where its map takes one, and such a map is that of one kernel.
constexpr bool kernels_fit_maps() {
  constexpr std::size_t kKernels = number_of_values<KernelType>();
  std::size_t kernels_of[kKernels] = {};  // by map
  bool fit = true;
  for (std::size_t i = 0; i < kKernels; ++i) {
    fit = with_kernel({static_cast<KernelType>(i)}, [&](const auto& k) {
      using K = std::decay_t<decltype(k)>;
      ++kernels_of[static_cast<std::size_t>(K::kMap)];
      return fit && std::is_base_of_v<Distance, K> == simd::takes_distance(K::kMap);
    });
  }
  for (std::size_t i = 0; i < kKernels; ++i) {
    fit = fit && (kernels_of[i] == 1 || !simd::takes_distance(static_cast<simd::Map>(i)));
  }
  return fit;
}
static_assert(kernels_fit_maps(),
              "a kernel of distances needs a Map of its own whose traits say so, and a struct that is a Distance");

/// Returns use(Struct{kernel}) of a kernel of distances, else `otherwise`.
template <class Result, class Use>
Result with_distance(const KernelParams& kernel, Result otherwise, const Use& use) {
  return with_kernel(kernel, [&](const auto& k) -> Result {
    using K = std::decay_t<decltype(k)>;
    if constexpr (std::is_base_of_v<Distance, K>) {
      return use(k);
    } else {
      return otherwise;
    }
  });
}

}  // namespace dcsvm::kernels
