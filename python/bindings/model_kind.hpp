// What the bound kinds of models share: files, reports, answers for the rows of X.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "caster.hpp"
#include "dcsvm/any_model.hpp"
#include "dcsvm/predict.hpp"
#include "dcsvm/report_fields.hpp"

namespace dcsvm::bindings {

/// A report as a dict, whose keys are the fields of Python's report classes. Without `problems`, the record of each problem is
/// left out: thousands of classes have millions.
template <class R>
py::dict report_dict(const R& report, bool problems = true);

/// A field of a report.
template <class T>
py::object field_value(const T& v) {
  if constexpr (std::is_same_v<T, LevelReport> || std::is_same_v<T, ProblemReport> || std::is_same_v<T, LinearProblemReport> ||
                std::is_same_v<T, Warning>) {
    return report_dict(v);
  } else if constexpr (std::is_same_v<T, StopReason>) {
    return py::str(to_string(v));
  } else {
    return py::cast(v);
  }
}
inline py::object field_value(const std::vector<double>& v) { return copy(v); }
template <class T>
py::object field_value(const std::vector<T>& v) {
  py::list list;
  for (const T& element : v) list.append(field_value(element));
  return list;
}

template <class R>
py::dict report_dict(const R& report, bool problems) {
  py::dict d;
  const auto put = [&](const char* name, const auto& value) {
    if (!problems && std::string_view(name) == "problems") return;
    d[std::string_view(name) == "lambda" ? "lambda_" : name] = field_value(value);  // lambda is a keyword of Python
  };
  const auto put_all = [&](const auto&... field) { (put(field.first, report.*field.second), ...); };
  std::apply(put_all, report_fields(static_cast<const R*>(nullptr)));
  return d;
}

template <class M, class = void>
constexpr bool is_kernel_model = false;
template <class M>
constexpr bool is_kernel_model<M, std::void_t<decltype(std::declval<M>().kernel())>> = true;

/// What every kind has: n_features, classes, kernel (if it has one), report, save, to_bytes and (static) from_bytes.
template <class M>
py::class_<M> model_class(py::module_& m, const char* name, M (*from_bytes)(std::string_view)) {
  py::class_<M> kind(m, name);
  kind.def_property_readonly("n_features", &M::n_features);
  kind.def_property_readonly("classes", [](const M& self) { return copy(self.classes()); });
  if constexpr (is_kernel_model<M>) kind.def_property_readonly("kernel", [](const M& self) { return self.kernel(); });
  kind.def("report", [](const M& self) { return report_dict(self.report()); });
  kind.def(
      "save",
      [](const M& self, const py::object& path) {
        const std::string name = as_path(path);
        with_path(name, [&] {
          const py::gil_scoped_release release;
          save_model(AnyModel(self), name, check_signals);
        });
      },
      py::arg("path"));
  kind.def(
      "to_bytes",
      [](const M& self, bool timings) {
        std::string bytes;
        {
          const py::gil_scoped_release release;
          bytes = timings ? model_to_bytes(self) : model_to_bytes_without_timings(self);
        }
        return py::bytes(bytes);
      },
      py::arg("timings"));
  kind.def_static(
      "from_bytes",
      [from_bytes](const py::buffer& data) {
        const py::buffer_info info = data.request();
        const std::string_view bytes(static_cast<const char*>(info.ptr), static_cast<std::size_t>(info.size * info.itemsize));
        const py::gil_scoped_release release;
        return from_bytes(bytes);
      },
      py::arg("data"));
  return kind;
}

/// name(model, x, n_threads): what answer(model, x, out, options) writes, (rows of x, columns(model)); without `columns` (rows,).
template <class M>
void def_answer(py::module_& m, const char* name, void (*answer)(const M&, const DataView&, double*, const PredictOptions&),
                Index (*columns)(const M&) = nullptr) {
  m.def(
      name,
      [answer, columns](const M& model, const py::object& x, int n_threads) {
        const DataArg data = as_view(x);
        const Index rows = rows_of(data.view);
        py::array_t<double> out = columns == nullptr ? py::array_t<double>(rows) : py::array_t<double>({rows, columns(model)});
        double* p = out.mutable_data();
        {
          const py::gil_scoped_release release;
          answer(model, data.view, p, {n_threads, check_signals});
        }
        return out;
      },
      py::arg("model"), py::arg("x"), py::arg("n_threads"));
}

/// train(x, y, params, inputs with the weights, hooks) without the GIL.
template <class Inputs, class Params, class Train>
auto train_weighted(const py::object& x, const Vector& y, const Params& params, const std::optional<Vector>& sample_weight,
                    const py::object& progress, Train train) {
  const DataArg data = as_view(x);
  if (y.size() != rows_of(data.view)) throw DataError("y must have one entry for each row of X");
  Inputs inputs;
  if (sample_weight) inputs.sample_weight = sample_weight->data();
  const Hooks hooks = hooks_of(progress);
  const double* targets = y.data();
  const Params own = params;
  const py::gil_scoped_release release;
  return train(data.view, targets, own, inputs, hooks);
}

}  // namespace dcsvm::bindings
