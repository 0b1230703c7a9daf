#include "dcsvm/io.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "caster.hpp"
#include "dcsvm/any_model.hpp"
#include "dcsvm/liblinear_model.hpp"
#include "dcsvm/libsvm_model.hpp"
#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

py::tuple load_svmlight_arrays(const py::object& path, Index n_features, bool zero_based, int n_threads, bool strict) {
  const std::string name = as_path(path);
  Dataset d = with_path(name, [&] {
    const py::gil_scoped_release release;
    return load_svmlight(name, {n_features, zero_based, n_threads, check_signals, strict});
  });
  const Index cols = d.cols;
  return py::make_tuple(take(std::move(d.values)), take(std::move(d.indices)), take(std::move(d.indptr)), cols,
                        take(std::move(d.y)));
}

void save_svmlight_arrays(const py::object& path, const py::object& x, const Vector& y, bool zero_based) {
  const std::string name = as_path(path);
  const DataArg data = as_view(x);
  if (y.size() != rows_of(data.view)) throw DataError("y must have one entry for each row of X");
  const double* labels = y.data();
  with_path(name, [&] {
    const py::gil_scoped_release release;
    save_svmlight(name, data.view, labels, zero_based, check_signals);
  });
}

}  // namespace

void register_io(py::module_& m) {
  m.def("load_svmlight", load_svmlight_arrays, py::arg("path"), py::arg("n_features"), py::arg("zero_based"),
        py::arg("n_threads"), py::arg("strict") = false);
  m.def("save_svmlight", save_svmlight_arrays, py::arg("path"), py::arg("x"), py::arg("y").noconvert(), py::arg("zero_based"));
  m.def(
      "load_model",
      [](const py::object& path, Index n_features) {
        const std::string name = as_path(path);
        std::vector<std::string> warnings;
        AnyModel model = with_path(name, [&] {
          const py::gil_scoped_release release;
          return load_any_model(name, n_features, check_signals, [&](const std::string& what) { warnings.push_back(what); });
        });
        py::list texts;
        for (const std::string& what : warnings) texts.append(text_of(what));
        return py::make_tuple(std::move(model), texts);
      },
      py::arg("path"), py::arg("n_features") = 0);
  m.def(
      "model_of_libsvm_text",
      [](const std::string& text, Index n_features, const std::string& kernel) {
        const auto type = from_name<KernelType>("kernel", kernel);
        const py::gil_scoped_release release;
        LibsvmModel model = parse_libsvm_text(text, check_signals);
        model.kernel.type = type;
        return from_libsvm(model, n_features);
      },
      py::arg("text"), py::arg("n_features"), py::arg("kernel"));
  m.def(
      "save_libsvm_model",
      [](const Model& model, const py::object& path, int sv_digits) {
        const std::string name = as_path(path);
        with_path(name, [&] {
          const py::gil_scoped_release release;
          save_libsvm_model(to_libsvm(model, check_signals), name, {sv_digits}, check_signals);
        });
      },
      py::arg("model"), py::arg("path"), py::arg("sv_digits"));
  m.def(
      "save_liblinear_model",
      [](const LinearModel& model, const py::object& path) {
        const std::string name = as_path(path);
        with_path(name, [&] {
          const py::gil_scoped_release release;
          save_liblinear_model(to_liblinear(model), name, check_signals);
        });
      },
      py::arg("model"), py::arg("path"));
}

}  // namespace dcsvm::bindings
