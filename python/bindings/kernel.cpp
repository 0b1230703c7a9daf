#include "dcsvm/kernel.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

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

// x and points are C-order arrays of float64; points may be the same object as x. address: of a KernelFunction.
py::array_t<double> function_values_of(const Vector& x, const Vector& points, std::uintptr_t address, int n_threads) {
  if (x.ndim() != 2 || points.ndim() != 2 || x.shape(1) != points.shape(1))
    throw DataError("x and points must have equal columns");
  const double *rows = x.data(), *columns = points.data();
  const Index n = x.shape(0), m = points.shape(0), d = x.shape(1);
  py::array_t<double> out({n, m});
  double* p = out.mutable_data();
  const auto function = reinterpret_cast<KernelFunction>(address);  // NOLINT: what Python has is a number
  const py::gil_scoped_release release;
  function_values(rows, n, columns, m, d, function, p, {n_threads, check_signals});
  return out;
}

// traits_of each kernel, by its name.
py::dict kernels() {
  py::dict all;
  for (std::size_t i = 0; i < names_of(KernelType{}).size(); ++i) {
    const KernelTraits kernel = traits_of(static_cast<KernelType>(i));
    py::dict one;
    one["formula"] = kernel.formula;
    one["gamma_of"] = std::array{"nothing", "square", "length", "sum"}[static_cast<std::size_t>(kernel.gamma_of)];
    one["coef0"] = kernel.coef0;
    one["degree"] = kernel.degree;
    one["in_libsvm"] = kernel.in_libsvm;
    one["nonnegative"] = kernel.nonnegative;
    all[kernel.name] = one;
  }
  return all;
}

}  // namespace

void register_kernel(py::module_& m) {
  m.def("kernels", kernels);
  m.def("kernel_values", values_of, py::arg("x"), py::arg("points"), py::arg("params"));
  m.def("function_values", function_values_of, py::arg("x").noconvert(), py::arg("points").noconvert(), py::arg("address"),
        py::arg("n_threads"));
  m.def("kernel_sums", sums_of, py::arg("x"), py::arg("points"), py::arg("coef").noconvert(), py::arg("params"));
}

}  // namespace dcsvm::bindings
