#include "dcsvm/ldkl.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>

#include "caster.hpp"
#include "model_kind.hpp"
#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

// dcsvm._ldkl.train has checked the lengths.
LdklModel train_ldkl_arrays(const py::object& x, const Vector& y, const LdklParams& params,
                            const std::optional<Vector>& sample_weight, const py::object& progress) {
  return train_weighted<LdklInputs>(x, y, params, sample_weight, progress, train_ldkl);
}

}  // namespace

void register_ldkl(py::module_& m) {
  params_class<LdklParams>(m, "LdklParams");
  model_class(m, "LdklModel", bytes_as<LdklModel>)
      .def_property_readonly("depth", &LdklModel::depth)
      .def_property_readonly("sigma", &LdklModel::sigma)
      .def_property_readonly("cost", &LdklModel::cost)
      .def("w", [](const LdklModel& self) { return copy(self.w()); })
      .def("v", [](const LdklModel& self) { return copy(self.v()); })
      .def("theta", [](const LdklModel& self) { return copy(self.theta()); });
  m.def("train_ldkl", train_ldkl_arrays, py::arg("x"), py::arg("y").noconvert(), py::arg("params"),
        py::arg("sample_weight").noconvert(), py::arg("progress"));
  def_answer<LdklModel>(m, "ldkl_predict", predict);
  def_answer<LdklModel>(m, "ldkl_decision_function", decision_function, decision_columns);
}

}  // namespace dcsvm::bindings
