#include "dcsvm/ridge.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>

#include "caster.hpp"
#include "model_kind.hpp"
#include "names.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
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
  m.def(
      "train_ridge",
      [](const py::object& x, const Vector& y, const RidgeParams& params, const std::optional<Vector>& sample_weight,
         const py::object& progress) { return train_weighted<TrainInputs>(x, y, params, sample_weight, progress, train_ridge); },
      py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("sample_weight").noconvert(), py::arg("progress"));
}

}  // namespace dcsvm::bindings
