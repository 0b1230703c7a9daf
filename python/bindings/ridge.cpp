#include "dcsvm/ridge.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>

#include "caster.hpp"
#include "model_kind.hpp"
#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
void register_ridge(py::module_& m) {
  params_class<RidgeParams>(m, "RidgeParams");
  m.def(
      "train_ridge",
      [](const py::object& x, const Vector& y, const RidgeParams& params, const std::optional<Vector>& sample_weight,
         const py::object& progress) { return train_weighted<TrainInputs>(x, y, params, sample_weight, progress, train_ridge); },
      py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("sample_weight").noconvert(), py::arg("progress"));
}

}  // namespace dcsvm::bindings
