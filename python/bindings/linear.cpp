#include "dcsvm/linear.hpp"
#include "dcsvm/linear_path.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <optional>

#include "block_training.hpp"
#include "caster.hpp"
#include "model_kind.hpp"
#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

// traits_of each solver, by its name.
py::dict linear_solvers() {
  py::dict all;
  for (std::size_t i = 0; i < names_of(LinearSolver{}).size(); ++i) {
    const LinearSolverTraits has = traits_of(static_cast<LinearSolver>(i));
    py::dict one;
    one["liblinear"] = has.liblinear;
    one["classes"] = has.classes;
    one["numbers"] = has.numbers;
    one["probabilities"] = has.probabilities;
    one["softmax"] = has.softmax;
    all[has.name] = one;
  }
  return all;
}

// dcsvm._linear.train has checked the lengths.
LinearModel train_linear_arrays(const py::object& x, const Vector& y, const LinearParams& params,
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

LinearModel train_linear_online_arrays(const LinearModel& model, const py::object& x, const Vector& y, const LinearParams& params,
                                       const std::optional<Vector>& sample_weight, const py::object& progress) {
  return train_weighted<LinearInputs>(
      x, y, params, sample_weight, progress,
      [&model](const DataView& data, const double* targets, const LinearParams& own, LinearInputs& inputs, const Hooks& hooks) {
        return train_linear_online(model, data, targets, own, inputs, hooks);
      });
}

py::dict path_dict(const LinearPath& path) {
  const auto column = [&path](double LinearPathPoint::* field) {
    std::vector<double> values;
    for (const LinearPathPoint& p : path.points) values.push_back(p.*field);
    return values;
  };
  py::list fold_scores, fold_objectives, predictions;
  for (const LinearPathPoint& p : path.points) {
    fold_scores.append(p.fold_scores);
    fold_objectives.append(p.fold_objectives);
    predictions.append(copy(p.predictions));
  }
  py::dict d;
  d["C"] = column(&LinearPathPoint::C);
  d["epsilon"] = column(&LinearPathPoint::epsilon);
  d["fold_scores"] = fold_scores;
  d["fold_objectives"] = fold_objectives;
  d["predictions"] = predictions;
  d["best"] = py::make_tuple(path.best_C, path.best_epsilon, path.best_score);
  return d;
}

// of_row: the fold of each row; dcsvm._search.linear_path has checked the lengths.
py::dict path_arrays(const py::object& x, const Vector& y, const LinearParams& params, const std::vector<int>& of_row,
                     const std::vector<double>& C, double start_C, double start_epsilon, bool keep_predictions,
                     const std::optional<Vector>& sample_weight, const py::object& progress) {
  LinearPathOptions options;
  options.folds.of_row = of_row;
  options.C = C;
  options.start_C = start_C;
  options.start_epsilon = start_epsilon;
  options.keep_predictions = keep_predictions;
  const DataArg data = as_view(x);
  if (y.size() != rows_of(data.view)) throw DataError("y must have one entry for each row of X");
  LinearInputs inputs;
  if (sample_weight) inputs.sample_weight = sample_weight->data();
  const Hooks hooks = hooks_of(progress);
  const double* targets = y.data();
  const LinearParams own = params;
  LinearPath path;
  {
    const py::gil_scoped_release release;
    path = linear_path(data.view, targets, own, options, inputs, hooks);
  }
  return path_dict(path);
}

}  // namespace

void register_linear(py::module_& m) {
  params_class<LinearParams>(m, "LinearParams");
  m.def("linear_solvers", linear_solvers);
  model_class(m, "LinearModel", bytes_as<LinearModel>)
      .def_property_readonly("solver", [](const LinearModel& self) { return name_of(self.solver()); })
      .def_property_readonly("stop_reason", [](const LinearModel& self) { return to_string(self.report().stop_reason); })
      .def_property_readonly("n_vectors", &LinearModel::n_vectors)
      .def_property_readonly("bias", &LinearModel::bias)
      .def_property_readonly("rho", &LinearModel::rho)
      .def("w", [](const LinearModel& self) { return copy(self.w()); });
  m.def(
      "make_linear_model",
      [](const std::string& solver, std::vector<double> classes, Index n_features, double bias, std::vector<double> w) {
        return make_linear_model(from_name<LinearSolver>("solver", solver), std::move(classes), n_features, bias, 0.0,
                                 std::move(w));
      },
      py::arg("solver"), py::arg("classes"), py::arg("n_features"), py::arg("bias"), py::arg("w"));
  m.def("linear_default_tol", [](const LinearParams& params) { return default_tol(params.solver); }, py::arg("params"));
  m.def("linear_tables_mb", linear_tables_mb, py::arg("params"), py::arg("rows"), py::arg("features"), py::arg("stored"),
        py::arg("classes"));
  m.def("train_linear", train_linear_arrays, py::arg("x"), py::arg("y").noconvert(), py::arg("params"),
        py::arg("sample_weight").noconvert(), py::arg("initial_w").noconvert(), py::arg("progress"));
  m.def("train_linear_online", train_linear_online_arrays, py::arg("model"), py::arg("x"), py::arg("y").noconvert(),
        py::arg("params"), py::arg("sample_weight").noconvert(), py::arg("progress"));
  m.def("train_linear_file", train_file<LinearParams, train_linear_file>, py::arg("path"), py::arg("params"), py::arg("cache"),
        py::arg("memory_mb"), py::arg("keep_cache"), py::arg("n_features"), py::arg("zero_based"), py::arg("progress"));
  m.def("linear_path", path_arrays, py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("of_row"), py::arg("C"),
        py::arg("start_C"), py::arg("start_epsilon"), py::arg("keep_predictions"), py::arg("sample_weight").noconvert(),
        py::arg("progress"));
  def_answer<LinearModel>(m, "linear_predict", predict);
  def_answer<LinearModel>(m, "linear_decision_function", decision_function, decision_columns);
  def_answer<LinearModel>(m, "linear_predict_proba", predict_proba, probability_columns);
}

}  // namespace dcsvm::bindings
