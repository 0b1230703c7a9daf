#include "dcsvm/dc_pred.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <vector>

#include "caster.hpp"
#include "model_kind.hpp"
#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

/// Rows in the order in which a budget holds them out.
using Order = std::optional<py::array_t<Index, py::array::c_style>>;

DcPredBudget budget_of(double cost, const Order& order, Index n) {
  if (order && order->size() != n) throw DataError("order must have one entry for each row of X");
  return {cost, order ? order->data() : nullptr};
}

DcPredModel compressed(const Model& model, const py::object& x, const DcPredParams& params, const py::object& progress,
                       double budget, const Order& order) {
  const DataArg data = as_view(x);
  const Hooks hooks = hooks_of(progress);
  const DcPredParams own = params;
  const DcPredBudget within = budget_of(budget, order, rows_of(data.view));
  const py::gil_scoped_release release;
  return compress(model, data.view, own, hooks, within);
}

using Train = DcPredModel (*)(const DataView&, const double*, const DcPredParams&, const DcPredInputs&, const Hooks&,
                              const DcPredBudget&);

void def_train(py::module_& m, const char* name, Train train) {
  m.def(
      name,
      [train](const py::object& x, const Vector& y, const DcPredParams& params, const std::optional<Vector>& sample_weight,
              const py::object& progress, double budget, const Order& order) {
        const DcPredBudget within = budget_of(budget, order, y.size());
        return train_weighted<DcPredInputs>(x, y, params, sample_weight, progress,
                                            [&](const auto&... a) { return train(a..., within); });
      },
      py::arg("x"), py::arg("y").noconvert(), py::arg("params"), py::arg("sample_weight").noconvert(), py::arg("progress"),
      py::arg("budget"), py::arg("order").noconvert());
}

void register_dc_pred_types(py::module_& m) {
  params_class<DcPredParams>(m, "DcPredParams");

  model_class(m, "DcPredModel", bytes_as<DcPredModel>)
      .def_property_readonly("n_leaves", &DcPredModel::n_leaves)
      .def_property_readonly("cost", &DcPredModel::cost)
      .def_property_readonly("pseudo", [](const DcPredModel& self) { return name_of(self.pseudo()); })
      .def("landmarks", [](const DcPredModel& self, Index leaf) { return take(self.landmarks(leaf)); }, py::arg("leaf"));
}

}  // namespace

void register_dc_pred(py::module_& m) {
  register_dc_pred_types(m);
  def_train(m, "train_dc_pred", train_dc_pred);
  def_train(m, "train_dc_pred_ridge", train_dc_pred_ridge);
  m.def("compress", compressed, py::arg("model"), py::arg("x"), py::arg("params"), py::arg("progress"), py::arg("budget"),
        py::arg("order").noconvert());
  def_answer<DcPredModel>(m, "dc_pred_predict", predict);
  def_answer<DcPredModel>(m, "dc_pred_decision_function", decision_function, decision_columns);
}

}  // namespace dcsvm::bindings
