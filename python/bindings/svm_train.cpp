#include "dcsvm/train.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>

#include "caster.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

/// check_signals for C's struct dcsvm_call, through which nothing travels: what is raised is dropped, and 1 ends the call.
extern "C" int poll_signals(void*) noexcept {
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) return 0;
  PyErr_Clear();
  return 1;
}

const double* data_or_null(const std::optional<Vector>& array) { return array ? array->data() : nullptr; }

// y, sample_weight, warm_start_alpha, warm_start_sums and fixed_row_sums have the right lengths: the callers in Python have
// checked.
Model train_with_hooks(const py::object& x, const Vector& y, const TrainParams& params,
                       const std::optional<Vector>& sample_weight, const std::optional<Vector>& warm_start_alpha,
                       const py::object& checkpoint, double checkpoint_interval, const py::object& progress,
                       const std::optional<Vector>& warm_start_sums, const std::optional<Vector>& fixed_row_sums) {
  const DataArg data = as_view(x);
  if (y.size() != rows_of(data.view)) throw DataError("y must have one entry for each row of X");
  const Hooks hooks = hooks_of(progress);
  const TrainInputs inputs{data_or_null(sample_weight), data_or_null(warm_start_alpha), checkpoint_path(checkpoint),
                           checkpoint_interval,         data_or_null(warm_start_sums),  data_or_null(fixed_row_sums)};
  const double* labels = y.data();
  const TrainParams own = params;
  return with_path(inputs.checkpoint, [&] {
    const py::gil_scoped_release release;
    return train(data.view, labels, own, inputs, hooks);
  });
}

}  // namespace

std::string checkpoint_path(const py::object& path) {
  if (path.is_none()) return {};
  std::string name = as_path(path);
  if (name.empty()) throw ParameterError("checkpoint must be the name of a file, or None for none; got an empty name");
  return name;
}

Hooks hooks_of(const py::object& progress) {
  Hooks hooks;
  hooks.interrupted = check_signals;
  if (progress.is_none()) return hooks;
  hooks.progress = [&progress](const Progress& p) {
    const py::gil_scoped_acquire gil;
    return static_cast<bool>(py::bool_(progress(py::cast(p))));  // a copy of p: the callback may keep it
  };
  return hooks;
}

void register_train(py::module_& m) {
  // The address of a function for dcsvm_call::interrupted.
  m.def("interrupt_poll", [] { return reinterpret_cast<std::uintptr_t>(&poll_signals); });
  py::class_<Progress> progress(m, "Progress",
                                R"(What a callback is given: how far a training is.

Each value is an attribute and an item: ``p.seconds``, ``p["seconds"]``, ``dict(p)``. A phase that does not know a value gives 0.

Attributes
----------
phase : str
    "clustering", "level", "refine", "solve" or "calibrate" of an SVM, at its end "done" with the report's values; other
    families have their own.
level : int
    Level of divide and conquer; 0 is the whole problem.
done, total : int
    Clusters, pairs, folds or leaves of the phase that are done, and all of them.
n_iter : int
    Steps so far.
violation : float
    What is compared with ``tol``.
objective : float
    The objective so far, as the report's.
active : int
    Rows that are not shrunk.
n_support : int
    Variables of the current solve that are not 0.
seconds : float
    Since the training began.
)");
  progress.attr("__module__") = "dcsvm";  // what users import from
  py::list names;
  const auto value = [&](const char* name, const auto& of) {
    progress.def_property_readonly(name, [of](const Progress& p) { return std::invoke(of, p); });
    names.append(name);
  };
  value("phase", [](const Progress& p) { return std::string(p.phase); });
  value("level", &Progress::level);
  value("done", &Progress::done);
  value("total", &Progress::total);
  value("n_iter", &Progress::n_iter);
  value("violation", &Progress::violation);
  value("objective", &Progress::objective);
  value("active", &Progress::active);
  value("n_support", &Progress::n_support);
  value("seconds", &Progress::seconds);
  progress.attr("_fields") = py::tuple(names);
  progress
      .def(
          "keys", [](const py::object& self) -> py::tuple { return self.attr("_fields"); },
          "Names of the values, so that ``dict(p)`` works.\n\nReturns\n-------\ntuple of str\n    The attributes.\n")
      .def("__getitem__",
           [](const py::object& self, const py::str& name) -> py::object {
             if (!self.attr("_fields").contains(name)) throw py::key_error(name);
             return self.attr(name);
           })
      .def(
          "_replace",
          [](Progress p, Index done, Index total, std::int64_t n_iter, double seconds) {
            p.done = done, p.total = total, p.n_iter = n_iter, p.seconds = seconds;
            return p;
          },
          py::kw_only(), py::arg("done"), py::arg("total"), py::arg("n_iter"), py::arg("seconds"))
      .def("__repr__", [](const Progress& p) {
        return py::str(
                   "Progress(phase={!r}, level={}, done={}, total={}, n_iter={}, violation={:.3g}, objective={:.6g}, active={}, "
                   "n_support={}, seconds={:.2f})")
            .format(p.phase, p.level, p.done, p.total, p.n_iter, p.violation, p.objective, p.active, p.n_support, p.seconds);
      });
  m.def("train", train_with_hooks, py::arg("x"), py::arg("y").noconvert(), py::arg("params"),
        py::arg("sample_weight").noconvert(), py::arg("warm_start_alpha").noconvert(), py::arg("checkpoint"),
        py::arg("checkpoint_interval"), py::arg("progress"), py::arg("warm_start_sums").noconvert() = py::none(),
        py::arg("fixed_row_sums").noconvert() = py::none());
}

}  // namespace dcsvm::bindings
