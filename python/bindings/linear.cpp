#include "dcsvm/linear.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>

#include "caster.hpp"
#include "model_kind.hpp"
#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

// dcsvm._linear.train has checked the lengths.
LinearModel train_arrays(const py::object& x, const Vector& y, const LinearParams& params,
                         const std::optional<Vector>& sample_weight, const std::optional<Vector>& initial_w,
                         const py::object& progress) {
  const double* start = initial_w ? initial_w->data() : nullptr;
  return train_weighted<LinearInputs>(
      x, y, params, sample_weight, progress,
      [start](const DataView& data, const double* targets, const LinearParams& own, LinearInputs& inputs, const Hooks& hooks) {
        inputs.initial_w = start;
        return train_linear(data, targets, own, inputs, hooks);
      });
}

}  // namespace

void register_linear(py::module_& m) {
  params_class<LinearParams>(m, "LinearParams");
  model_class(m, "LinearModel", linear_model_from_bytes)
      .def_property_readonly("solver", [](const LinearModel& self) { return name_of(self.solver()); })
      .def_property_readonly("n_vectors", &LinearModel::n_vectors)
      .def_property_readonly("bias", &LinearModel::bias)
      .def_property_readonly("rho", &LinearModel::rho)
      .def("w", [](const LinearModel& self) { return copy(self.w()); });
  m.def("linear_default_tol", [](const LinearParams& params) { return default_tol(params.solver); }, py::arg("params"));
  m.def("train_linear", train_arrays, py::arg("x"), py::arg("y").noconvert(), py::arg("params"),
        py::arg("sample_weight").noconvert(), py::arg("initial_w").noconvert(), py::arg("progress"));
  def_answer<LinearModel>(m, "linear_predict", predict);
  def_answer<LinearModel>(m, "linear_decision_function", decision_function, decision_columns);
  def_answer<LinearModel>(m, "linear_predict_proba", predict_proba, probability_columns);
}

}  // namespace dcsvm::bindings
