#include "dcsvm/model.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <variant>
#include <vector>

#include "caster.hpp"
#include "dcsvm/io.hpp"
#include "model_kind.hpp"
#include "params_class.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

// A read-only array over memory that `owner` keeps.
template <class T>
py::array_t<T> view_of(const void* data, std::vector<py::ssize_t> shape, const py::object& owner) {
  py::array_t<T> array(std::move(shape), static_cast<const T*>(data), owner);
  array.attr("setflags")(false);
  return array;
}

py::object values_of(const void* data, ScalarType scalar, std::vector<py::ssize_t> shape, const py::object& owner) {
  if (scalar == ScalarType::float32) return view_of<float>(data, std::move(shape), owner);
  return view_of<double>(data, std::move(shape), owner);
}

// The model's support vectors without a copy: an array, or CSR's (data, indices, indptr).
py::object support_points(const py::object& self) {
  const DataView view = self.cast<const Model&>().support_view();
  if (const auto* dense = std::get_if<DenseView>(&view)) {
    return values_of(dense->data, dense->scalar, {dense->rows, dense->cols}, self);
  }
  const auto& csr = std::get<CsrView>(view);
  const auto* indptr = static_cast<const std::int64_t*>(csr.indptr);
  const py::ssize_t n_stored = indptr[csr.rows];
  return py::make_tuple(values_of(csr.values, csr.scalar, {n_stored}, self), view_of<std::int64_t>(csr.indices, {n_stored}, self),
                        view_of<std::int64_t>(indptr, {csr.rows + 1}, self));
}

// What keep_levels kept of each level of divide and conquer: number, clusters, support, sv_coef, cluster_of.
py::list kept_levels(const Model& self) {
  py::list levels;
  for (const LevelReport& level : self.report().levels) {
    if (level.support.empty() && level.cluster_of.empty()) continue;
    levels.append(py::make_tuple(level.level, level.clusters, copy(level.support), copy(level.sv_coef), copy(level.cluster_of)));
  }
  return levels;
}

// Of each problem, n_iter; early models: none.
std::vector<std::int64_t> steps(const Model& self) {
  std::vector<std::int64_t> all;
  for (const ProblemReport& problem : self.report().problems) all.push_back(problem.n_iter);
  return all;
}

// (n_pairs, n_train), of memory that calloc fills with zeros and that is therefore only taken where it is written: a small file
// may declare many training rows.
py::array_t<double> alpha(const Model& self) {
  const std::size_t k = std::max<std::size_t>(2, self.classes().size()), n = static_cast<std::size_t>(self.n_train());
  const std::size_t pairs = k * (k - 1) / 2;
  const auto release = [](void* p) { std::free(p); };
  std::unique_ptr<double, decltype(release)> zeros(static_cast<double*>(std::calloc(pairs, n * sizeof(double))), release);
  if (zeros == nullptr) throw std::bad_alloc();
  self.add_alpha(zeros.get());
  const double* data = zeros.get();
  const py::capsule owner(zeros.get(), [](void* p) { std::free(p); });
  zeros.release();
  return py::array_t<double>({static_cast<py::ssize_t>(pairs), static_cast<py::ssize_t>(n)}, data, owner);
}

}  // namespace

void register_model(py::module_& m) {
  model_class(m, "Model", model_from_bytes)
      .def("outcome", [](const Model& self) { return report_dict(self.report(), false); })
      .def("steps", [](const Model& self) { return copy(steps(self)); })
      .def_property_readonly("n_train", &Model::n_train)
      .def_property_readonly("formulation", [](const Model& self) { return name_of(self.formulation()); })
      .def_property_readonly("nu", &Model::nu)
      .def_property_readonly("epsilon", &Model::epsilon)
      .def_property_readonly("clustered", &Model::clustered)
      .def_property_readonly("prediction", [](const Model& self) { return name_of(self.prediction()); })
      .def("calibration",
           [](const Model& self) {
             const Calibration& c = self.calibration();
             py::dict d;
             d["a"] = copy(c.a);
             d["b"] = copy(c.b);
             d["density_marks"] = copy(c.density_marks);
             return d;
           })
      .def("with_prediction",
           [](const Model& self, const std::string& how) {
             return self.with_prediction(from_name<LevelPrediction>("prediction", how));
           })
      .def_property_readonly("precision", [](const Model& self) { return name_of(self.precision()); })
      .def("with_precision",
           [](const Model& self, const std::string& precision) {
             return self.with_precision(from_name<Precision>("precision", precision));
           })
      .def("support", [](const Model& self) { return copy(self.support()); })
      .def("n_support_per_class", [](const Model& self) { return take(self.n_support_per_class()); })
      .def("sv_coef", [](const Model& self) { return copy(self.sv_coef()); })
      .def("rho", [](const Model& self) { return copy(self.rho()); })
      .def("alpha", alpha)
      .def("support_vectors", [](const Model& self) { return take(self.support_vectors()); })
      .def("support_points", support_points)
      .def("kept_levels", kept_levels)
      .def("with_coefficients", &Model::with_coefficients, py::arg("sv_coef"), py::arg("rho"));
}

}  // namespace dcsvm::bindings
