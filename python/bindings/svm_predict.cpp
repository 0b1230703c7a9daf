#include "dcsvm/predict.hpp"
#include "dcsvm/probability.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <utility>

#include "caster.hpp"
#include "model_kind.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

std::pair<double, double> fit_sigmoid_arrays(const Vector& decisions, const py::array_t<bool, py::array::c_style>& positive) {
  if (decisions.size() != positive.size()) throw DataError("decisions and positive must have the same length");
  return fit_sigmoid(decisions.data(), positive.data(), decisions.size());
}

// decisions: rows x pairs.
py::array_t<double> couple_arrays(const Vector& a, const Vector& b, Index n_classes, const Vector& decisions) {
  const Index pairs = n_classes * (n_classes - 1) / 2;
  if (a.size() != pairs || b.size() != pairs || decisions.ndim() != 2 || decisions.shape(1) != pairs)
    throw DataError("a, b and the columns of decisions must have an entry for each pair of classes");
  py::array_t<double> out({static_cast<Index>(decisions.shape(0)), n_classes});
  couple_pairs(a.data(), b.data(), n_classes, decisions.data(), decisions.shape(0), out.mutable_data());
  return out;
}

}  // namespace

void register_predict(py::module_& m) {
  def_answer<Model>(m, "predict", predict);
  def_answer<Model>(m, "decision_function", decision_function, decision_columns);
  def_answer<Model>(m, "predict_proba", predict_proba, probability_columns);
  m.def("fit_sigmoid", fit_sigmoid_arrays, py::arg("decisions").noconvert(), py::arg("positive").noconvert());
  m.def("couple_pairs", couple_arrays, py::arg("a").noconvert(), py::arg("b").noconvert(), py::arg("n_classes"),
        py::arg("decisions").noconvert());
}

}  // namespace dcsvm::bindings
