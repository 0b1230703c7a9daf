#include "dcsvm/ls_svm.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <string_view>

#include "caster.hpp"
#include "names.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

using Vector = py::array_t<double, py::array::c_style>;

// The keys are the fields of dcsvm.LsSvmReport.
py::dict report_dict(const LsSvmReport& r) {
  py::dict d;
  d["stop_reason"] = to_string(r.stop_reason);
  d["residuals"] = copy(r.residuals);
  d["residual"] = r.residual;
  d["n_iter"] = r.n_iter;
  d["block_size"] = r.block_size;
  d["n_regularised"] = r.n_regularised;
  d["n_kernel_values"] = r.n_kernel_values;
  d["seconds"] = r.seconds;
  d["peak_bytes"] = r.peak_bytes;
  d["gamma"] = r.gamma;
  d["isa"] = r.isa;
  d["n_threads"] = r.n_threads;
  return d;
}

// dcsvm._ls_svm has checked the lengths.
LsSvmModel train_arrays(const py::object& x, const Vector& y, const LsSvmParams& params, Index n_targets,
                        const std::optional<Vector>& coef, const std::optional<Vector>& intercept, const py::object& progress) {
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

template <class Decide>
py::array_t<double> decided(const LsSvmModel& model, const py::object& x, int n_threads, Index columns, Decide decide) {
  const DataArg data = as_view(x);
  py::array_t<double> out(rows_of(data.view) * columns);
  double* p = out.mutable_data();
  {
    const py::gil_scoped_release release;
    decide(model, data.view, p, PredictOptions{n_threads, check_signals});
  }
  return out;
}

void register_types(py::module_& m) {
  py::class_<LsSvmParams> params(m, "LsSvmParams");
  params.def(py::init<>())
      .def_readwrite("kernel", &LsSvmParams::kernel)
      .def_readwrite("normalise", &LsSvmParams::normalise)
      .def_readwrite("regression", &LsSvmParams::regression)
      .def_readwrite("gamma_ls", &LsSvmParams::gamma_ls)
      .def_readwrite("block_size", &LsSvmParams::block_size)
      .def_readwrite("n_iter", &LsSvmParams::n_iter)
      .def_readwrite("n_average", &LsSvmParams::n_average)
      .def_readwrite("tol", &LsSvmParams::tol)
      .def_readwrite("seed", &LsSvmParams::seed)
      .def_readwrite("n_threads", &LsSvmParams::n_threads);
  named<&LsSvmParams::gamma_rule>(params, "gamma_rule");
  named<&LsSvmParams::method>(params, "method");

  py::class_<LsSvmModel>(m, "LsSvmModel")
      .def_property_readonly("n_features", &LsSvmModel::n_features)
      .def_property_readonly("n_train", &LsSvmModel::n_train)
      .def_property_readonly("regression", &LsSvmModel::regression)
      .def_property_readonly("normalise", &LsSvmModel::normalise)
      .def_property_readonly("classes", [](const LsSvmModel& self) { return copy(self.classes()); })
      .def_property_readonly("kernel", [](const LsSvmModel& self) { return self.kernel(); })
      .def("report", [](const LsSvmModel& self) { return report_dict(self.report()); })
      .def("coef", [](const LsSvmModel& self) { return copy(self.coef()); })
      .def("intercept", [](const LsSvmModel& self) { return copy(self.intercept()); });
}

void register_files(py::module_& m) {
  m.def(
      "save_ls_svm_model",
      [](const LsSvmModel& model, const py::object& path) {
        const std::string name = as_path(path);
        with_path(name, [&] {
          const py::gil_scoped_release release;
          save_model(model, name);
        });
      },
      py::arg("model"), py::arg("path"));
  m.def("ls_svm_model_to_bytes", [](const LsSvmModel& model) { return py::bytes(model_to_bytes(model)); }, py::arg("model"));
  m.def(
      "ls_svm_model_from_bytes", [](const py::bytes& data) { return ls_svm_model_from_bytes(std::string_view(data)); },
      py::arg("data"));
  m.def("is_ls_svm_model", [](const py::bytes& data) { return is_ls_svm_model(std::string_view(data)); }, py::arg("data"));
  m.def(
      "load_ls_svm_model",
      [](const py::object& path) {
        const std::string name = as_path(path);
        return with_path(name, [&] {
          const py::gil_scoped_release release;
          return load_ls_svm_model(name);
        });
      },
      py::arg("path"));
}

}  // namespace

void register_ls_svm(py::module_& m) {
  register_types(m);
  register_files(m);
  m.def("train_ls_svm", train_arrays, py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("n_targets"),
        py::arg("coef").noconvert(), py::arg("intercept").noconvert(), py::arg("progress"));
  m.def(
      "ls_svm_predict",
      [](const LsSvmModel& model, const py::object& x, int n_threads) {
        const Index columns = model.regression() ? decision_columns(model) : 1;
        return decided(model, x, n_threads, columns, [](const auto&... a) { predict(a...); });
      },
      py::arg("model"), py::arg("x"), py::arg("n_threads"));
  m.def(
      "ls_svm_decision_function",
      [](const LsSvmModel& model, const py::object& x, int n_threads) {
        return decided(model, x, n_threads, decision_columns(model), [](const auto&... a) { decision_function(a...); });
      },
      py::arg("model"), py::arg("x"), py::arg("n_threads"));
  m.def(
      "ls_svm_predict_proba",
      [](const LsSvmModel& model, const py::object& x, int n_threads) {
        return decided(model, x, n_threads, decision_columns(model), [](const auto&... a) { predict_proba(a...); });
      },
      py::arg("model"), py::arg("x"), py::arg("n_threads"));
}

}  // namespace dcsvm::bindings
