#include "dcsvm/ls_svm.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>

#include "caster.hpp"
#include "model_kind.hpp"
#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

// dcsvm._least_squares.ls_svm has checked the lengths.
LsSvmModel train_ls_svm_arrays(const py::object& x, const Vector& y, const LsSvmParams& params, Index n_targets,
                               const std::optional<Vector>& coef, const std::optional<Vector>& intercept,
                               const py::object& progress) {
  const DataArg data = as_view(x);
  if (y.size() != rows_of(data.view) * n_targets) throw DataError("y must have one entry for each row of X and target");
  LsSvmInputs inputs;
  if (coef && intercept) inputs = {coef->data(), intercept->data()};
  const Hooks hooks = hooks_of(progress);
  const double* targets = y.data();
  const LsSvmParams own = params;
  const py::gil_scoped_release release;
  return train_ls_svm(data.view, targets, own, inputs, hooks, n_targets);
}

void register_ls_svm_types(py::module_& m) {
  params_class<LsSvmParams>(m, "LsSvmParams");

  model_class(m, "LsSvmModel", bytes_as<LsSvmModel>)
      .def_property_readonly("n_train", &LsSvmModel::n_train)
      .def_property_readonly("regression", &LsSvmModel::regression)
      .def_property_readonly("normalise", &LsSvmModel::normalise)
      .def("coef", [](const LsSvmModel& self) { return copy(self.coef()); })
      .def("intercept", [](const LsSvmModel& self) { return copy(self.intercept()); });
}

}  // namespace

void register_ls_svm(py::module_& m) {
  register_ls_svm_types(m);
  m.def("train_ls_svm", train_ls_svm_arrays, py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("n_targets"),
        py::arg("coef").noconvert(), py::arg("intercept").noconvert(), py::arg("progress"));
  def_answer<LsSvmModel>(m, "ls_svm_predict", predict,
                         [](const LsSvmModel& model) { return model.regression() ? decision_columns(model) : Index{1}; });
  def_answer<LsSvmModel>(m, "ls_svm_decision_function", decision_function, decision_columns);
  def_answer<LsSvmModel>(m, "ls_svm_predict_proba", predict_proba, decision_columns);
}

}  // namespace dcsvm::bindings
