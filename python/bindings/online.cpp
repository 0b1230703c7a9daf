#include "dcsvm/online.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "caster.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

using Bytes = py::array_t<std::uint8_t, py::array::c_style>;

// Returns the model, alpha, gradient, working (each flat, n_pairs x n). The core cannot know the lengths of the
// arrays, and would read out of the bounds of a shorter one, so they are checked here.
py::tuple train_online_arrays(const py::object& x, const Vector& y, const TrainParams& params, Index n_classes,
                              const Vector& upper, const std::optional<Vector>& alpha, const std::optional<Vector>& gradient,
                              const std::optional<Bytes>& working, Index budget, const py::object& progress) {
  const DataArg data = as_view(x);
  const Index n = rows_of(data.view), pairs = n_classes * (n_classes - 1) / 2;
  if (y.size() != n || upper.size() != n) throw DataError("y and upper must have one entry for each row of X");
  OnlineInputs inputs;
  inputs.n_classes = n_classes;
  inputs.upper = upper.data();
  inputs.budget = budget;
  if (alpha && alpha->size() > 0 && pairs > 0) {
    inputs.n_known = alpha->size() / pairs;
    inputs.alpha = alpha->data();
    if (gradient) inputs.gradient = gradient->data();
    if (working) inputs.working = working->data();
    if ((gradient && gradient->size() != alpha->size()) || (working && working->size() != alpha->size()))
      throw DataError("alpha, gradient and working must have one entry for each pair and known row");
  }
  const Hooks hooks = hooks_of(progress);
  const double* labels = y.data();
  const TrainParams own = params;
  OnlineResult result;
  {
    const py::gil_scoped_release release;
    result = train_online(data.view, labels, own, inputs, hooks);
  }
  return py::make_tuple(std::move(result.model), take(std::move(result.state.alpha)), take(std::move(result.state.gradient)),
                        take(std::move(result.state.working)));
}

}  // namespace

void register_online(py::module_& m) {
  m.def("train_online", train_online_arrays, py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("n_classes"),
        py::arg("upper").noconvert(), py::arg("alpha").noconvert(), py::arg("gradient").noconvert(),
        py::arg("working").noconvert(), py::arg("budget"), py::arg("progress"));
}

}  // namespace dcsvm::bindings
