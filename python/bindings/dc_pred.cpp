#include "dcsvm/dc_pred.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <vector>

#include "caster.hpp"
#include "model_kind.hpp"
#include "names.hpp"
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
  py::class_<DcPredParams> params(m, "DcPredParams");
  params.def(py::init<>())
      .def_readwrite("kernel", &DcPredParams::kernel)
      .def_readwrite("C", &DcPredParams::C)
      .def_readwrite("alpha", &DcPredParams::alpha)
      .def_readwrite("n_leaves", &DcPredParams::n_leaves)
      .def_readwrite("n_landmarks", &DcPredParams::n_landmarks)
      .def_readwrite("n_pseudo", &DcPredParams::n_pseudo)
      .def_readwrite("sample_size", &DcPredParams::sample_size)
      .def_readwrite("refine", &DcPredParams::refine)
      .def_readwrite("fit_intercept", &DcPredParams::fit_intercept)
      .def_readwrite("tol", &DcPredParams::tol)
      .def_readwrite("cache_size", &DcPredParams::cache_size)
      .def_readwrite("class_weight", &DcPredParams::class_weight)
      .def_readwrite("balanced", &DcPredParams::balanced)
      .def_readwrite("seed", &DcPredParams::seed)
      .def_readwrite("n_threads", &DcPredParams::n_threads);
  named<&DcPredParams::gamma_rule>(params, "gamma_rule");
  named<&DcPredParams::pseudo>(params, "pseudo");
  named<&DcPredParams::landmarks>(params, "landmarks");

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
