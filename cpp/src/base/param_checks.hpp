// Checks of parameters, by their declarations (dcsvm/parameters.hpp). Each throws ParameterError; its text starts
// with the parameter's name.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dcsvm/errors.hpp"
#include "dcsvm/kernel_params.hpp"
#include "dcsvm/parameter_range.hpp"

namespace dcsvm::base {

/// Unless `value` is in the range; `whole`: of an integer parameter.
void check_number(const char* name, double value, const Range& range, bool whole);
[[noreturn]] void reject_choice(const char* name, int value);

template <class T>
void check_value(const char* name, const T& value, const Range& range) {
  if constexpr (std::is_enum_v<T>) {
    const auto i = static_cast<int>(value);
    if (i < 0 || i >= static_cast<int>(names_of(value).size())) reject_choice(name, i);
  } else if constexpr (std::is_arithmetic_v<T>) {
    check_number(name, static_cast<double>(value), range, std::is_integral_v<T>);
  }
}
template <class T>
void check_value(const char* name, const std::optional<T>& value, const Range& range) {
  if (value) check_value(name, *value, range);
}

/// All parameters of the list for which used(name) is true.
template <class P, class Used>
void check_ranges(const P& params, const Used& used) {
  each_parameter(params, [&](const char* name, auto member, const char*, const Range& range = {}) {
    if (used(std::string_view(name))) check_value(name, params.*member, range);
  });
}
/// All parameters of the list.
template <class P>
void check_ranges(const P& params) {
  check_ranges(params, [](std::string_view) { return true; });
}

/// ParameterError when a limit is given for what has no best solution so far.
void refuse_max_seconds(double max_seconds, const char* what);
/// What this kernel uses of gamma, degree and coef0.
void check_kernel(const KernelParams& k, GammaRule rule);
/// (label, weight) pairs: weights >= 0, no label twice; not together with `balanced`.
void check_class_weight(const std::vector<std::pair<double, double>>& class_weight, bool balanced);

}  // namespace dcsvm::base
