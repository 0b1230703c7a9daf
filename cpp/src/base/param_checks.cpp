#include "base/param_checks.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

namespace dcsvm::base {

namespace {

template <class Value>
[[noreturn]] void reject(const std::string& name, const std::string& rule, Value value) {
  std::ostringstream text;
  text << name << " must be " << rule << ", got " << value;
  throw ParameterError(text.str());
}

// "a finite number > 0", "a whole number >= 1, or 0 (chosen from the rows)", "a finite number > 0 and <= 1".
std::string rule_of(const Range& range, bool whole) {
  std::ostringstream text;
  text << (whole ? "a whole number" : "a finite number");
  if (std::isfinite(range.low)) text << (range.low_allowed ? " >= " : " > ") << range.low;
  if (range.high < std::numeric_limits<int>::max()) text << (range.high_allowed ? " and <= " : " and < ") << range.high;
  if (range.zero != nullptr) text << ", or 0 (" << range.zero << ')';
  if (range.infinity != nullptr) text << ", or infinity (" << range.infinity << ')';
  return text.str();
}

}  // namespace

void check_number(const char* name, double value, const Range& range, bool whole) {
  if (value == 0 && range.zero != nullptr) return;
  if (value > 0 && std::isinf(value) && range.infinity != nullptr) return;
  const bool low = range.low_allowed ? value >= range.low : value > range.low;
  const bool high = range.high_allowed ? value <= range.high : value < range.high;
  if (!low || !high || !std::isfinite(value)) reject(name, rule_of(range, whole), value);
}

void reject_choice(const char* name, int value) { reject(name, "a value of its enumeration", value); }

void refuse_max_seconds(double max_seconds, const char* what) {
  if (max_seconds > 0) {
    throw ParameterError(std::string("max_seconds is for one training, not for ") + what +
                         ": a part of it has no result, so stop it from a callback");
  }
}

void check_kernel(const KernelParams& k, GammaRule rule) {
  const KernelTraits uses = traits_of(k.type);
  const bool given = rule == GammaRule::value || (rule == GammaRule::unspecified && k.gamma != 0);
  check_ranges(k, [&](std::string_view name) {
    if (name == "degree") return uses.degree;
    if (name == "gamma") return given && uses.gamma;
    return name != "coef0" || uses.coef0;
  });
}

void check_class_weight(const std::vector<std::pair<double, double>>& class_weight, bool balanced) {
  for (std::size_t i = 0; i < class_weight.size(); ++i) {
    const auto& [label, weight] = class_weight[i];
    std::ostringstream name;
    name << "class_weight of label " << label;
    check_number(name.str().c_str(), weight, at_least(0), false);
    for (std::size_t j = 0; j < i; ++j) {
      if (class_weight[j].first == label) reject("class_weight", "one factor for each label", label);
    }
  }
  if (balanced && !class_weight.empty()) throw ParameterError("class_weight: give weights or \"balanced\", not both");
}

}  // namespace dcsvm::base
