#include "dcsvm/low_rank.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "block_training.hpp"
#include "caster.hpp"
#include "model_kind.hpp"
#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

// Optional arrays of a training; dcsvm._low_rank.train has checked their lengths.
class Inputs {
 public:
  Inputs(const std::optional<Vector>& sample_weight, const py::object& landmarks, const py::object& landmark_kernel,
         const std::optional<Vector>& warm_start_alpha) {
    if (sample_weight) inputs_.sample_weight = sample_weight->data();
    if (warm_start_alpha) inputs_.warm_start_alpha = warm_start_alpha->data();
    if (!landmarks.is_none()) inputs_.landmarks = &landmarks_.emplace(as_view(landmarks)).view;
    if (!landmark_kernel.is_none()) inputs_.landmark_kernel = &kernel_.emplace(as_view(landmark_kernel)).view;
  }
  const LowRankInputs& get() const { return inputs_; }

 private:
  std::optional<DataArg> landmarks_, kernel_;
  LowRankInputs inputs_;
};

LowRankModel train_low_rank_arrays(const py::object& x, const Vector& y, const LowRankParams& params,
                                   const std::optional<Vector>& sample_weight, const py::object& landmarks,
                                   const py::object& landmark_kernel, const std::optional<Vector>& warm_start_alpha,
                                   const py::object& progress) {
  const DataArg data = as_view(x);
  if (y.size() != rows_of(data.view)) throw DataError("y must have one entry for each row of X");
  const Inputs inputs(sample_weight, landmarks, landmark_kernel, warm_start_alpha);
  const Hooks hooks = hooks_of(progress);
  const double* labels = y.data();
  const LowRankParams own = params;
  const py::gil_scoped_release release;
  return train_low_rank(data.view, labels, own, inputs.get(), hooks);
}

py::tuple low_rank_path_arrays(const py::object& x, const Vector& y, const LowRankParams& params, const std::vector<double>& C,
                               int folds, const std::vector<int>& fold_of, const std::optional<Vector>& sample_weight,
                               const py::object& landmarks, const py::object& landmark_kernel, const py::object& progress) {
  const DataArg data = as_view(x);
  const auto n = static_cast<std::size_t>(rows_of(data.view));
  if (static_cast<std::size_t>(y.size()) != n) throw DataError("y must have one entry for each row of X");
  if (folds > 0 && fold_of.size() != n) throw DataError("fold_of must have one entry for each row of X");
  const Inputs inputs(sample_weight, landmarks, landmark_kernel, std::nullopt);
  const Hooks hooks = hooks_of(progress);
  const double* labels = y.data();
  const LowRankParams own = params;
  LowRankPath path;
  {
    const py::gil_scoped_release release;
    path = low_rank_path(data.view, labels, own, C, folds, fold_of.data(), inputs.get(), hooks);
  }
  return py::make_tuple(path.models, take(std::move(path.scores)));
}

// batches: an iterator of (X, y), checked by dcsvm._low_rank.train as they come.
LowRankModel train_batches(const py::iterator& batches, const LowRankParams& params, const py::object& cache, double memory_mb,
                           bool keep_cache, const py::object& progress) {
  const BlockOptions options = block_options(cache, memory_mb, keep_cache, 0, false);
  const Hooks hooks = hooks_of(progress);
  const LowRankParams own = params;
  py::iterator it = batches;
  DataArg data;
  Vector y;
  const auto next = [&]() -> std::optional<Batch> {
    const py::gil_scoped_acquire gil;
    if (it == py::iterator::sentinel()) return std::nullopt;
    const auto pair = py::cast<py::tuple>(*it);
    data = as_view(pair[0]);
    y = py::cast<Vector>(pair[1]);
    ++it;
    return Batch{data.view, y.data()};
  };
  const py::gil_scoped_release release;
  return train_low_rank_batches(next, own, options, hooks);
}

void register_low_rank_model(py::module_& m) {
  model_class(m, "LowRankModel", bytes_as<LowRankModel>)
      .def_property_readonly("n_landmarks", &LowRankModel::n_landmarks)
      .def_property_readonly("cost", &LowRankModel::cost)
      .def_property_readonly("features", [](const LowRankModel& self) { return name_of(self.features()); })
      .def_property_readonly("multi_class", [](const LowRankModel& self) { return name_of(self.multi_class()); })
      .def("landmarks", [](const LowRankModel& self) { return take(self.landmarks()); })
      .def("used", [](const LowRankModel& self) { return copy(self.used()); })
      .def("coef", [](const LowRankModel& self) { return copy(self.coef()); })
      .def("intercept", [](const LowRankModel& self) { return copy(self.intercept()); })
      .def("alpha", [](const LowRankModel& self) { return copy(self.alpha()); })
      .def("with_coefficients", &LowRankModel::with_coefficients, py::arg("coef"), py::arg("intercept"));
}

}  // namespace

void register_low_rank(py::module_& m) {
  params_class<LowRankParams>(m, "LowRankParams");
  register_low_rank_model(m);
  m.def("train_low_rank", train_low_rank_arrays, py::arg("x"), py::arg("y").noconvert(), py::arg("params"),
        py::arg("sample_weight").noconvert(), py::arg("landmarks"), py::arg("landmark_kernel"),
        py::arg("warm_start_alpha").noconvert(), py::arg("progress"));
  m.def("low_rank_path", low_rank_path_arrays, py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("C"),
        py::arg("folds"), py::arg("fold_of"), py::arg("sample_weight").noconvert(), py::arg("landmarks"),
        py::arg("landmark_kernel"), py::arg("progress"));
  m.def("train_low_rank_file", train_file<LowRankParams, train_low_rank_file>, py::arg("path"), py::arg("params"),
        py::arg("cache"), py::arg("memory_mb"), py::arg("keep_cache"), py::arg("n_features"), py::arg("zero_based"),
        py::arg("progress"));
  m.def("train_low_rank_batches", train_batches, py::arg("batches"), py::arg("params"), py::arg("cache"), py::arg("memory_mb"),
        py::arg("keep_cache"), py::arg("progress"));
  def_answer<LowRankModel>(m, "low_rank_predict", predict);
  def_answer<LowRankModel>(m, "low_rank_decision_function", decision_function, decision_columns);
}

}  // namespace dcsvm::bindings
