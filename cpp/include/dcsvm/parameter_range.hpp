// What a parameter's value may be, and the names of choices.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

namespace dcsvm {

/// The values that a number may have; finite ones, but for `infinity`. A Range{} for parameters that are not numbers.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_allowed = true, high_allowed = true;  ///< whether low and high themselves are in the range
  const char* zero = nullptr;  ///< what 0 means, when it may be given besides low .. high
  const char* infinity = nullptr;  ///< what infinity means, when it may be given
};

constexpr Range above(double low) { return {low, Range{}.high, false}; }
constexpr Range or_zero(Range range, const char* meaning) {
  range.zero = meaning;
  return range;
}
constexpr Range or_infinity(Range range, const char* meaning) {
  range.infinity = meaning;
  return range;
}
constexpr Range at_least(double low) { return {low}; }
/// A whole number >= low that fits 32 bits.
constexpr Range count(int low, const char* zero = nullptr) {
  return {static_cast<double>(low), std::numeric_limits<int>::max(), true, true, zero};
}

/// The last value of an enumeration that has names: files hold no larger number.
template <class E>
constexpr E last_of() {
  return static_cast<E>(names_of(E{}).size() - 1);
}

/// The name of an enumeration's value, as Python and the command line use it. names_of(E) has all of them in the order
/// of the values.
template <class E>
constexpr const char* name_of(E value) {
  const auto all = names_of(value);
  const auto i = static_cast<std::size_t>(value);
  return i < all.size() ? all[i] : "?";
}

}  // namespace dcsvm
