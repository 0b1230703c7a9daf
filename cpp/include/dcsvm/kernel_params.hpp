// The kernel function, and in which precision it is computed.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "dcsvm/parameter_range.hpp"

namespace dcsvm {

/// Files and the C interfaces keep the numbers: a new kernel comes last.
enum class KernelType {
  linear = 0,
  poly = 1,
  rbf = 2,
  sigmoid = 3,
  precomputed = 4,
  exponential = 5,
  matern32 = 6,
  matern52 = 7,
  laplacian = 8,
  chi2 = 9,
  tanimoto = 10,
};

/// What gamma is multiplied with, which says in which unit it is: 1 over the unit of X, or over its square.
enum class GammaOf { nothing, square, length, sum };

/// What the world knows of a kernel: its name, its formula, the parameters that it uses, and whether it is one of LIBSVM's.
struct KernelTraits {
  const char* name = nullptr;
  const char* formula = "";  ///< empty: there is none
  GammaOf gamma_of = GammaOf::nothing;  ///< square: of x'z and |x - z|^2, length: of |x - z|, sum: of sums over the features
  bool coef0 = false, degree = false;
  bool in_libsvm = false;  ///< LIBSVM has it under the same number
  bool nonnegative = false;  ///< for features >= 0 only
  bool gamma = gamma_of != GammaOf::nothing;
};
/// No default: the compiler names a kernel that is missing.
constexpr KernelTraits traits_of(KernelType type) noexcept {
  switch (type) {
    case KernelType::linear: return {"linear", "x'z", GammaOf::nothing, false, false, true};
    case KernelType::poly: return {"poly", "(gamma x'z + coef0)^degree", GammaOf::square, true, true, true};
    case KernelType::rbf: return {"rbf", "exp(-gamma |x - z|^2)", GammaOf::square, false, false, true};
    case KernelType::sigmoid: return {"sigmoid", "tanh(gamma x'z + coef0)", GammaOf::square, true, false, true};
    case KernelType::precomputed: return {"precomputed", "", GammaOf::nothing, false, false, true};
    case KernelType::exponential: return {"exponential", "exp(-gamma |x - z|)", GammaOf::length};
    case KernelType::matern32: return {"matern32", "(1 + a) exp(-a), a = sqrt(3) gamma |x - z|", GammaOf::length};
    case KernelType::matern52: return {"matern52", "(1 + a + a^2 / 3) exp(-a), a = sqrt(5) gamma |x - z|", GammaOf::length};
    case KernelType::laplacian: return {"laplacian", "exp(-gamma sum_k |x_k - z_k|)", GammaOf::sum};
    case KernelType::chi2:
      return {"chi2", "exp(-gamma sum_k (x_k - z_k)^2 / (x_k + z_k)), features >= 0", GammaOf::sum, false, false, false, true};
    case KernelType::tanimoto: return {"tanimoto", "x'z / (|x|^2 + |z|^2 - x'z)"};
  }
  return {};
}

/// K(x, y): traits_of(type).formula; precomputed: given.
struct KernelParams {
  KernelType type = KernelType::rbf;
  int degree = 3;
  double gamma = 0.0;  ///< 0: not set; TrainParams::gamma_rule says how it is found
  double coef0 = 0.0;
};

/// How gamma is found: as given, by the spread of X ("scale") or 1 / n_features ("auto"). With v = Var(X) over all entries,
/// "scale" is 1 / (n_features v), as in scikit-learn; for kernels of a length its root, for those of sums over the features 1 /
/// (n_features sqrt(v)): multiplying X by a number changes no kernel value. `unspecified`: as given when KernelParams::gamma is
/// set, else "scale". The others hold whatever gamma says.
enum class GammaRule { value, scale, automatic, unspecified };

/// Files keep the numbers.
enum class Precision { single_ = 0, double_ = 1 };

constexpr auto names_of(KernelType) { return names_by_traits<KernelType>(); }
constexpr auto names_of(GammaRule) { return std::array{"value", "scale", "auto", ""}; }
constexpr auto names_of(Precision) { return std::array{"single", "double"}; }

namespace kernel_names {
/// "linear x'z, poly (gamma x'z + coef0)^degree, ...".
inline std::string formulas() {
  std::string text;
  for (std::size_t i = 0; i < number_of_values<KernelType>(); ++i) {
    const KernelTraits kernel = traits_of(static_cast<KernelType>(i));
    if (*kernel.formula != '\0') text += (text.empty() ? "" : ", ") + std::string(kernel.name) + ' ' + kernel.formula;
  }
  return text;
}
}  // namespace kernel_names

template <class See>
void each_parameter(const KernelParams&, const See& see) {
  using P = KernelParams;
  static const std::string formulas = kernel_names::formulas();
  see("kernel", &P::type, formulas.c_str());
  see("degree", &P::degree, "of the poly kernel", count(0));
  see("gamma", &P::gamma, "of all kernels but linear, tanimoto and precomputed", above(0));
  see("coef0", &P::coef0, "of the poly and sigmoid kernels");
}

}  // namespace dcsvm
