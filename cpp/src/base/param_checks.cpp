#include "base/param_checks.hpp"

#include <cmath>

namespace dcsvm::base {

void check_positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value)) reject(name, "a finite number > 0", value);
}
void check_finite(const char* name, double value) {
  if (!std::isfinite(value)) reject(name, "finite", value);
}

void check_class_weight(const std::vector<std::pair<double, double>>& class_weight, bool balanced) {
  for (const auto& [label, weight] : class_weight) {
    if (!std::isfinite(weight) || weight < 0) {
      std::ostringstream text;
      text << "class_weight of label " << label << " must be a finite number >= 0, got " << weight;
      throw ParameterError(text.str());
    }
  }
  for (std::size_t i = 1; i < class_weight.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (class_weight[i].first == class_weight[j].first)
        reject("class_weight", "one factor for each label", class_weight[i].first);
    }
  }
  if (balanced && !class_weight.empty()) throw ParameterError("class_weight: give weights or \"balanced\", not both");
}

void check_kernel(const KernelParams& k, GammaRule rule) {
  const bool uses_gamma = k.type == KernelType::rbf || k.type == KernelType::poly || k.type == KernelType::sigmoid;
  if (uses_gamma && (rule == GammaRule::value || (rule == GammaRule::unspecified && k.gamma != 0)))
    check_positive("gamma", k.gamma);
  if (k.type == KernelType::poly && k.degree < 0) reject("degree", ">= 0", k.degree);
  if (k.type == KernelType::poly || k.type == KernelType::sigmoid) check_finite("coef0", k.coef0);
}

}  // namespace dcsvm::base
