#include "dcsvm/cross_validate.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>

#include "caster.hpp"
#include "model_kind.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

using Vector = py::array_t<double, py::array::c_style>;
using Rows = py::array_t<Index, py::array::c_style>;

std::vector<Index> to_vector(const Rows& rows) { return {rows.data(), rows.data() + rows.size()}; }

py::list folds_of(const Vector& y, int n_folds, bool stratified, std::uint64_t seed) {
  py::list out;
  for (Fold& fold : make_folds(y.data(), y.size(), n_folds, stratified, seed)) {
    out.append(py::make_tuple(take(std::move(fold.train)), take(std::move(fold.test))));
  }
  return out;
}

py::dict summary(const CrossValidation& r) {
  py::dict d;
  d["C"] = r.C;
  d["gamma"] = r.gamma;
  d["n_fits"] = r.n_fits;
  d["n_unconverged"] = r.n_unconverged;
  d["violation"] = r.violation;
  d["n_iter"] = r.n_iter;
  d["n_kernel_values"] = r.n_kernel_values;
  d["peak_cache_bytes"] = r.peak_cache_bytes;
  d["seconds"] = r.seconds;
  d["warnings"] = field_value(r.warnings);
  return d;
}

// Held-out predictions, or decision values, of every point of the grid: (gammas, C values, held-out rows, columns).
py::tuple cross_validate_arrays(const py::object& x, const Vector& y, const TrainParams& params, const std::vector<double>& C,
                                const std::vector<double>& gamma, const std::vector<std::pair<Rows, Rows>>& splits,
                                bool decisions, const std::optional<Vector>& sample_weight, const py::object& checkpoint,
                                double checkpoint_interval, const py::object& progress) {
  const DataArg data = as_view(x);
  if (y.size() != rows_of(data.view)) throw DataError("y must have one entry for each row of X");
  std::vector<Fold> folds;
  Index tests = 0;
  for (const auto& [train, test] : splits) {
    folds.push_back({to_vector(train), to_vector(test)});
    tests += test.size();
  }
  const HeldOut what = decisions ? HeldOut::decisions : HeldOut::predictions;
  const auto count = [](const std::vector<double>& values) {
    return std::max<py::ssize_t>(1, static_cast<py::ssize_t>(values.size()));
  };
  py::array_t<double> out({count(gamma), count(C), tests, held_out_columns(y.data(), y.size(), params, what)});
  double* to = out.mutable_data();
  const TrainInputs inputs{sample_weight ? sample_weight->data() : nullptr, nullptr, checkpoint_path(checkpoint),
                           checkpoint_interval};
  const Hooks hooks = hooks_of(progress);
  const double* labels = y.data();
  const TrainParams own = params;  // NOLINT(performance-unnecessary-copy-initialization): Python may change it meanwhile
  const CrossValidation result = with_path(inputs.checkpoint, [&] {
    const py::gil_scoped_release release;
    return cross_validate(data.view, labels, own, {C, gamma}, folds, what, to, inputs, hooks);
  });
  return py::make_tuple(out, summary(result));
}

}  // namespace

void register_cross_validate(py::module_& m) {
  m.def("make_folds", folds_of, py::arg("y").noconvert(), py::arg("n_folds"), py::arg("stratified"), py::arg("seed"));
  m.def("cross_validate", cross_validate_arrays, py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("C"),
        py::arg("gamma"), py::arg("splits"), py::arg("decisions"), py::arg("sample_weight").noconvert(), py::arg("checkpoint"),
        py::arg("checkpoint_interval"), py::arg("progress"));
}

}  // namespace dcsvm::bindings
