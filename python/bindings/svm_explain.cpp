#include "dcsvm/explain.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <vector>

#include "caster.hpp"
#include "dcsvm/predict.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

using OfFeatures = void (*)(const Model&, const DataView&, double*, const PredictOptions&);

/// name(model, x, n_threads): (rows, n_features, pairs).
void def_of_features(py::module_& m, const char* name, OfFeatures answer) {
  m.def(
      name,
      [answer](const Model& model, const py::object& x, int n_threads) {
        const DataArg data = as_view(x);
        py::array_t<double> out({rows_of(data.view), model.n_features(), decision_columns(model)});
        double* values = out.mutable_data();
        {
          const py::gil_scoped_release release;
          answer(model, data.view, values, {n_threads, check_signals});
        }
        return out;
      },
      py::arg("model"), py::arg("x"), py::arg("n_threads"));
}

/// (indices, contributions, shares), each (rows, k, pairs).
py::tuple nearest_support_arrays(const Model& model, const py::object& x, Index k, int n_threads) {
  static_assert(sizeof(Index) == sizeof(std::int64_t), "indices are int64 arrays");
  const DataArg data = as_view(x);
  const std::vector<py::ssize_t> shape = {rows_of(data.view), k, decision_columns(model)};
  py::array_t<Index> indices(shape);
  py::array_t<double> contributions(shape), shares(shape);
  const NearestSupport out{indices.mutable_data(), contributions.mutable_data(), shares.mutable_data()};
  {
    const py::gil_scoped_release release;
    nearest_support(model, data.view, k, out, {n_threads, check_signals});
  }
  return py::make_tuple(indices, contributions, shares);
}

}  // namespace

void register_explain(py::module_& m) {
  def_of_features(m, "explain", explain);
  def_of_features(m, "decision_gradient", decision_gradient);
  m.def("explanation_base", [](const Model& model) { return take(explanation_base(model)); }, py::arg("model"));
  m.def("nearest_support", nearest_support_arrays, py::arg("model"), py::arg("x"), py::arg("k"), py::arg("n_threads"));
}

}  // namespace dcsvm::bindings
