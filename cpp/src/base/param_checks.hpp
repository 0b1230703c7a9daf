// Checks of parameter values that several families share. Each throws ParameterError; its text starts with the parameter's name.
#pragma once

#include <sstream>
#include <utility>
#include <vector>

#include "dcsvm/errors.hpp"
#include "dcsvm/params.hpp"

namespace dcsvm::base {

template <class Value>
[[noreturn]] void reject(const char* name, const char* rule, Value value) {
  std::ostringstream text;
  text << name << " must be " << rule << ", got " << value;
  throw ParameterError(text.str());
}

/// A finite number > 0.
void check_positive(const char* name, double value);
void check_finite(const char* name, double value);
/// (label, weight) pairs: weights >= 0, no label twice; not together with `balanced`.
void check_class_weight(const std::vector<std::pair<double, double>>& class_weight, bool balanced);
/// What this kernel uses of gamma, degree and coef0.
void check_kernel(const KernelParams& k, GammaRule rule);

}  // namespace dcsvm::base
