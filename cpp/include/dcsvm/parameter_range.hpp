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

/// names_of of an enumeration that has traits_of, of which the name is one: the compiler names a value that is missing there.
/// Values are 0, 1, 2 and so on: one behind a gap does not compile (up to 255).
template <class E>
constexpr std::size_t number_of_values() {
  constexpr auto count = [](std::size_t first) {
    std::size_t n = 0;
    for (std::size_t i = first; i < 256; ++i) n += traits_of(static_cast<E>(i)).name != nullptr ? 1 : 0;
    return n;
  };
  constexpr std::size_t n = count(0);
  static_assert(count(n) == 0, "an enumeration's values must follow each other, from 0");
  return n;
}
template <class E>
constexpr auto names_by_traits() {
  std::array<const char*, number_of_values<E>()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = traits_of(static_cast<E>(i)).name;
  return names;
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
