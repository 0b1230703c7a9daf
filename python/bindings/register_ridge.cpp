#include "dcsvm/ridge.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>

#include "caster.hpp"
#include "names.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

using Vector = py::array_t<double, py::array::c_style>;

Model trained(const py::object& x, const Vector& y, const RidgeParams& params, const std::optional<Vector>& sample_weight,
              const py::object& progress) {
  const DataArg data = as_view(x);
  if (y.size() != rows_of(data.view)) throw DataError("y must have one entry for each row of X");
  TrainInputs inputs;
  if (sample_weight) inputs.sample_weight = sample_weight->data();
  const Hooks hooks = hooks_of(progress);
  const double* targets = y.data();
  const RidgeParams own = params;
  const py::gil_scoped_release release;
  return train_ridge(data.view, targets, own, inputs, hooks);
}

}  // namespace

void register_ridge(py::module_& m) {
  py::class_<RidgeParams> params(m, "RidgeParams");
  params.def(py::init<>())
      .def_readwrite("kernel", &RidgeParams::kernel)
      .def_readwrite("alpha", &RidgeParams::alpha)
      .def_readwrite("tol", &RidgeParams::tol)
      .def_readwrite("max_iter", &RidgeParams::max_iter)
      .def_readwrite("cache_size", &RidgeParams::cache_size)
      .def_readwrite("seed", &RidgeParams::seed)
      .def_readwrite("n_threads", &RidgeParams::n_threads);
  named<&RidgeParams::gamma_rule>(params, "gamma_rule");
  named<&RidgeParams::solver>(params, "solver");
  named<&RidgeParams::precision>(params, "precision");
  m.def("train_ridge", trained, py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("sample_weight").noconvert(),
        py::arg("progress"));
}

}  // namespace dcsvm::bindings
