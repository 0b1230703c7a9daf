#include "dcsvm/predict.hpp"

#include <pybind11/numpy.h>

#include "caster.hpp"
#include "register.hpp"

namespace dcsvm::bindings {

void register_predict(py::module_& m) {
  m.def(
      "predict",
      [](const Model& model, const py::object& x, int n_threads) {
        const DataArg data = as_view(x);
        py::array_t<double> out(rows_of(data.view));
        double* p = out.mutable_data();
        {
          const py::gil_scoped_release release;
          predict(model, data.view, p, {n_threads, check_signals});
        }
        return out;
      },
      py::arg("model"), py::arg("x"), py::arg("n_threads"));
  m.def(
      "decision_function",
      [](const Model& model, const py::object& x, int n_threads) {
        const DataArg data = as_view(x);
        py::array_t<double> out({rows_of(data.view), decision_columns(model)});
        double* p = out.mutable_data();
        {
          const py::gil_scoped_release release;
          decision_function(model, data.view, p, {n_threads, check_signals});
        }
        return out;
      },
      py::arg("model"), py::arg("x"), py::arg("n_threads"));
  m.def(
      "predict_proba",
      [](const Model& model, const py::object& x, int n_threads) {
        const DataArg data = as_view(x);
        py::array_t<double> out({rows_of(data.view), probability_columns(model)});
        double* p = out.mutable_data();
        {
          const py::gil_scoped_release release;
          predict_proba(model, data.view, p, {n_threads, check_signals});
        }
        return out;
      },
      py::arg("model"), py::arg("x"), py::arg("n_threads"));
}

}  // namespace dcsvm::bindings
