#include "dcsvm/dc_pred.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "caster.hpp"
#include "names.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

using Vector = py::array_t<double, py::array::c_style>;

// The keys are the fields of dcsvm.DCPredReport.
py::dict report_dict(const DcPredReport& r) {
  py::dict d;
  d["stop_reason"] = to_string(r.stop_reason);
  d["n_leaves"] = r.n_leaves;
  d["n_constant"] = r.n_constant;
  d["n_landmarks"] = r.n_landmarks;
  d["n_pseudo"] = r.n_pseudo;
  d["n_support"] = r.n_support;
  d["violation"] = r.violation;
  d["depth"] = r.depth;
  d["cost"] = r.cost;
  d["seconds"] = r.seconds;
  d["gamma"] = r.gamma;
  d["isa"] = r.isa;
  d["n_threads"] = r.n_threads;
  return d;
}

template <class Train>
DcPredModel trained(const py::object& x, const Vector& y, const DcPredParams& params, const std::optional<Vector>& sample_weight,
                    const py::object& progress, Train train) {
  const DataArg data = as_view(x);
  if (y.size() != rows_of(data.view)) throw DataError("y must have one entry for each row of X");
  DcPredInputs inputs;
  if (sample_weight) inputs.sample_weight = sample_weight->data();
  const Hooks hooks = hooks_of(progress);
  const double* targets = y.data();
  const DcPredParams own = params;
  const py::gil_scoped_release release;
  return train(data.view, targets, own, inputs, hooks);
}

DcPredModel compressed(const Model& model, const py::object& x, const DcPredParams& params, const py::object& progress) {
  const DataArg data = as_view(x);
  const Hooks hooks = hooks_of(progress);
  const DcPredParams own = params;
  const py::gil_scoped_release release;
  return compress(model, data.view, own, hooks);
}

template <class Decide>
py::array_t<double> decided(const DcPredModel& model, const py::object& x, int n_threads, Index columns, Decide decide) {
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

  py::class_<DcPredModel>(m, "DcPredModel")
      .def_property_readonly("n_features", &DcPredModel::n_features)
      .def_property_readonly("n_leaves", &DcPredModel::n_leaves)
      .def_property_readonly("cost", &DcPredModel::cost)
      .def_property_readonly("classes", [](const DcPredModel& self) { return copy(self.classes()); })
      .def_property_readonly("kernel", [](const DcPredModel& self) { return self.kernel(); })
      .def_property_readonly("pseudo", [](const DcPredModel& self) { return name_of(self.pseudo()); })
      .def("report", [](const DcPredModel& self) { return report_dict(self.report()); })
      .def("landmarks", [](const DcPredModel& self, Index leaf) { return take(self.landmarks(leaf)); }, py::arg("leaf"));
}

void register_files(py::module_& m) {
  m.def(
      "save_dc_pred_model",
      [](const DcPredModel& model, const py::object& path) {
        const std::string name = as_path(path);
        with_path(name, [&] {
          const py::gil_scoped_release release;
          save_model(model, name);
        });
      },
      py::arg("model"), py::arg("path"));
  m.def("dc_pred_model_to_bytes", [](const DcPredModel& model) { return py::bytes(model_to_bytes(model)); }, py::arg("model"));
  m.def(
      "dc_pred_model_from_bytes", [](const py::bytes& data) { return dc_pred_model_from_bytes(std::string_view(data)); },
      py::arg("data"));
  m.def("is_dc_pred_model", [](const py::bytes& data) { return is_dc_pred_model(std::string_view(data)); }, py::arg("data"));
  m.def(
      "load_dc_pred_model",
      [](const py::object& path) {
        const std::string name = as_path(path);
        return with_path(name, [&] {
          const py::gil_scoped_release release;
          return load_dc_pred_model(name);
        });
      },
      py::arg("path"));
}

}  // namespace

void register_dc_pred(py::module_& m) {
  register_types(m);
  register_files(m);
  m.def(
      "train_dc_pred",
      [](const py::object& x, const Vector& y, const DcPredParams& params, const std::optional<Vector>& sample_weight,
         const py::object& progress) {
        return trained(x, y, params, sample_weight, progress, [](const auto&... a) { return train_dc_pred(a...); });
      },
      py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("sample_weight").noconvert(), py::arg("progress"));
  m.def(
      "train_dc_pred_ridge",
      [](const py::object& x, const Vector& y, const DcPredParams& params, const std::optional<Vector>& sample_weight,
         const py::object& progress) {
        return trained(x, y, params, sample_weight, progress, [](const auto&... a) { return train_dc_pred_ridge(a...); });
      },
      py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("sample_weight").noconvert(), py::arg("progress"));
  m.def("compress", compressed, py::arg("model"), py::arg("x"), py::arg("params"), py::arg("progress"));
  m.def(
      "dc_pred_predict",
      [](const DcPredModel& model, const py::object& x, int n_threads) {
        return decided(model, x, n_threads, 1, [](const auto&... a) { predict(a...); });
      },
      py::arg("model"), py::arg("x"), py::arg("n_threads"));
  m.def(
      "dc_pred_decision_function",
      [](const DcPredModel& model, const py::object& x, int n_threads) {
        return decided(model, x, n_threads, decision_columns(model), [](const auto&... a) { decision_function(a...); });
      },
      py::arg("model"), py::arg("x"), py::arg("n_threads"));
}

}  // namespace dcsvm::bindings
