// The kernel function, and in which precision it is computed.
#pragma once

#include <array>

#include "dcsvm/parameter_range.hpp"

namespace dcsvm {

enum class KernelType { linear, poly, rbf, sigmoid, precomputed };

/// What a kernel uses of KernelParams. No default: the compiler names a kernel that is missing.
struct KernelTraits {
  bool gamma = false, coef0 = false, degree = false;
};
constexpr KernelTraits traits_of(KernelType type) noexcept {
  switch (type) {
    case KernelType::linear: return {};
    case KernelType::poly: return {true, true, true};
    case KernelType::rbf: return {true};
    case KernelType::sigmoid: return {true, true};
    case KernelType::precomputed: return {};
  }
  return {};
}

/// K(x, y) = x'y | (gamma x'y + coef0)^degree | exp(-gamma |x - y|^2) | tanh(gamma x'y + coef0) | given.
struct KernelParams {
  KernelType type = KernelType::rbf;
  int degree = 3;
  double gamma = 0.0;  ///< 0: not set; TrainParams::gamma_rule says how it is found
  double coef0 = 0.0;
};

/// How gamma is found: as given, 1 / (n_features * Var(X)) over all entries ("scale"), or 1 / n_features ("auto").
/// `unspecified`: as given when KernelParams::gamma is set, else "scale". The others hold whatever gamma says.
enum class GammaRule { value, scale, automatic, unspecified };

enum class Precision { single_, double_ };

constexpr auto names_of(KernelType) { return std::array{"linear", "poly", "rbf", "sigmoid", "precomputed"}; }
constexpr auto names_of(GammaRule) { return std::array{"value", "scale", "auto", ""}; }
constexpr auto names_of(Precision) { return std::array{"single", "double"}; }

template <class See>
void each_parameter(const KernelParams&, const See& see) {
  using P = KernelParams;
  see("kernel", &P::type,
      "linear x'z, poly (gamma x'z + coef0)^degree, rbf exp(-gamma |x - z|^2), sigmoid tanh(gamma x'z + coef0)");
  see("degree", &P::degree, "of the poly kernel", count(0));
  see("gamma", &P::gamma, "of the rbf, poly and sigmoid kernels", above(0));
  see("coef0", &P::coef0, "of the poly and sigmoid kernels");
}

}  // namespace dcsvm
