#include "dcsvm/dc_pred.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <vector>

#include "caster.hpp"
#include "model_kind.hpp"
#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

DcPredModel compressed(const Model& model, const py::object& x, const DcPredParams& params, const py::object& progress) {
  const DataArg data = as_view(x);
  const Hooks hooks = hooks_of(progress);
  const DcPredParams own = params;
  const py::gil_scoped_release release;
  return compress(model, data.view, own, hooks);
}

void register_types(py::module_& m) {
  params_class<DcPredParams>(m, "DcPredParams");

  model_class(m, "DcPredModel", dc_pred_model_from_bytes)
      .def_property_readonly("n_leaves", &DcPredModel::n_leaves)
      .def_property_readonly("cost", &DcPredModel::cost)
      .def_property_readonly("pseudo", [](const DcPredModel& self) { return name_of(self.pseudo()); })
      .def("landmarks", [](const DcPredModel& self, Index leaf) { return take(self.landmarks(leaf)); }, py::arg("leaf"));
}

}  // namespace

void register_dc_pred(py::module_& m) {
  register_types(m);
  m.def(
      "train_dc_pred",
      [](const py::object& x, const Vector& y, const DcPredParams& params, const std::optional<Vector>& sample_weight,
         const py::object& progress) {
        return train_weighted<DcPredInputs>(x, y, params, sample_weight, progress,
                                            [](const auto&... a) { return train_dc_pred(a...); });
      },
      py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("sample_weight").noconvert(), py::arg("progress"));
  m.def(
      "train_dc_pred_ridge",
      [](const py::object& x, const Vector& y, const DcPredParams& params, const std::optional<Vector>& sample_weight,
         const py::object& progress) {
        return train_weighted<DcPredInputs>(x, y, params, sample_weight, progress,
                                            [](const auto&... a) { return train_dc_pred_ridge(a...); });
      },
      py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("sample_weight").noconvert(), py::arg("progress"));
  m.def("compress", compressed, py::arg("model"), py::arg("x"), py::arg("params"), py::arg("progress"));
  def_answer<DcPredModel>(m, "dc_pred_predict", predict);
  def_answer<DcPredModel>(m, "dc_pred_decision_function", decision_function, decision_columns);
}

}  // namespace dcsvm::bindings
