#include "dcsvm/kernel.hpp"

#include "caster.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

PredictOptions options_of(const TrainParams& params) { return {params.n_threads, check_signals}; }

// Kernel, precision and threads are those of params.
py::array_t<double> values_of(const py::object& x, const py::object& points, const TrainParams& params) {
  const DataArg data = as_view(x), columns = as_view(points);
  py::array_t<double> out({rows_of(data.view), rows_of(columns.view)});
  double* p = out.mutable_data();
  const py::gil_scoped_release release;
  kernel_values(data.view, columns.view, params.kernel, params.precision, p, options_of(params));
  return out;
}

py::array_t<double> sums_of(const py::object& x, const py::object& points, const py::array_t<double, py::array::c_style>& coef,
                            const TrainParams& params) {
  const DataArg data = as_view(x), columns = as_view(points);
  if (coef.ndim() != 2 || coef.shape(1) != rows_of(columns.view)) throw DataError("coef must have a column for each point");
  py::array_t<double> out({rows_of(data.view), coef.shape(0)});
  double* p = out.mutable_data();
  const py::gil_scoped_release release;
  kernel_sums(data.view, columns.view, coef.data(), coef.shape(0), params.kernel, params.precision, p, options_of(params));
  return out;
}

}  // namespace

void register_kernel(py::module_& m) {
  m.def("kernel_values", values_of, py::arg("x"), py::arg("points"), py::arg("params"));
  m.def("kernel_sums", sums_of, py::arg("x"), py::arg("points"), py::arg("coef").noconvert(), py::arg("params"));
}

}  // namespace dcsvm::bindings
