// A struct of parameters as a Python class, from its declarations (dcsvm/parameters.hpp): an attribute for each, and what is
// known of it.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "dcsvm/errors.hpp"
#include "dcsvm/parameters.hpp"

namespace dcsvm::bindings {

namespace py = pybind11;

/// The value of an enumeration. Throws ParameterError naming the parameter and what is allowed.
template <class E>
E from_name(const char* parameter, const std::string& text) {
  std::string allowed;
  int i = 0;
  for (const char* name : names_of(E())) {
    if (text == name) return static_cast<E>(i);
    allowed += std::string(i++ == 0 ? "'" : ", '") + name + "'";
  }
  throw ParameterError(std::string(parameter) + " must be one of " + allowed + "; got '" + text + "'");
}

template <class T>
struct Kind {
  using Value = T;
  static constexpr bool optional = false;
  static constexpr const char* name = std::is_same_v<T, bool>       ? "bool"
                                      : std::is_enum_v<T>           ? "str"
                                      : std::is_integral_v<T>       ? "int"
                                      : std::is_floating_point_v<T> ? "float"
                                                                    : "list";
};
template <class T>
struct Kind<std::optional<T>> : Kind<T> {
  static constexpr bool optional = true;
};

/// An attribute for what get(params) refers to; enumerations are str.
template <class P, class Get>
void def_parameter(py::class_<P>& bound, const char* name, Get get) {
  using T = std::decay_t<decltype(get(std::declval<P&>()))>;
  if constexpr (std::is_enum_v<T>) {
    bound.def_property(
        name, [get](P& self) { return name_of(get(self)); },
        [get, name](P& self, const std::string& value) { get(self) = from_name<T>(name, value); });
  } else {
    bound.def_property(
        name, [get](P& self) -> T { return get(self); }, [get](P& self, T value) { get(self) = std::move(value); });
  }
}

/// The arguments of dcsvm._input.parameters.Parameter.
template <class T>
py::dict described(const char* name, const T& standard, const char* text, const Range& range) {
  py::object value, choices = py::tuple();
  if constexpr (std::is_enum_v<T>) {
    value = py::str(name_of(standard));
    choices = py::tuple(py::cast(names_of(standard)));
  } else {
    value = py::cast(standard);
  }
  return py::dict(py::arg("name") = name, py::arg("type") = Kind<T>::name, py::arg("text") = text, py::arg("default") = value,
                  py::arg("choices") = choices, py::arg("optional") = Kind<T>::optional, py::arg("zero") = range.zero,
                  py::arg("low") = range.low, py::arg("high") = range.high, py::arg("low_allowed") = range.low_allowed,
                  py::arg("high_allowed") = range.high_allowed, py::arg("infinity") = range.infinity);
}

template <class T, class = void>
constexpr bool has_kernel = false;
template <class T>
constexpr bool has_kernel<T, std::void_t<decltype(std::declval<T>().kernel)>> = true;

/// Python's class of these parameters; those of a kernel, where there is one, are attributes like the others. Its tuple
/// `parameters` describes them.
template <class P>
void params_class(py::module_& m, const char* name) {
  py::class_<P> bound(m, name);
  bound.def(py::init<>());
  P defaults;
  py::list parameters;
  const auto add = [&](const char* parameter, auto get, const char* text, const Range& range) {
    if (std::string(parameter) == "lambda") parameter = "lambda_";  // a keyword of Python
    def_parameter(bound, parameter, get);
    parameters.append(described(parameter, get(defaults), text, range));
  };
  if constexpr (has_kernel<P>) {
    each_parameter(defaults.kernel, [&](const char* parameter, auto member, const char* text, const Range& range = {}) {
      add(parameter, [member](P& self) -> auto& { return self.kernel.*member; }, text, range);
    });
    def_parameter(bound, "gamma_rule", [](P& self) -> auto& { return self.gamma_rule; });
  }
  each_parameter(defaults, [&](const char* parameter, auto member, const char* text, const Range& range = {}) {
    add(parameter, [member](P& self) -> auto& { return self.*member; }, text, range);
  });
  bound.attr("parameters") = py::tuple(parameters);
}

}  // namespace dcsvm::bindings
