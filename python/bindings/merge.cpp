#include "dcsvm/merge.hpp"

#include <pybind11/stl.h>

#include "caster.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

// parts: (model or None, the only class, number of rows, rows that are support vectors) for each cluster.
Model merge_arrays(const py::list& parts, Index n_train, const std::vector<double>& classes, const std::vector<double>& centres) {
  std::vector<ClusterPart> all;
  all.reserve(parts.size());
  for (const py::handle item : parts) {
    const auto part = py::cast<py::tuple>(item);
    ClusterPart own;
    if (!part[0].is_none()) own.model = py::cast<Model>(part[0]);
    own.only_class = py::cast<double>(part[1]);
    own.n_rows = py::cast<Index>(part[2]);
    own.support = py::cast<std::vector<Index>>(part[3]);
    all.push_back(std::move(own));
  }
  const py::gil_scoped_release release;
  return merge_clusters(all, n_train, classes, centres);
}

}  // namespace

void register_merge(py::module_& m) {
  m.def("merge_clusters", merge_arrays, py::arg("parts"), py::arg("n_train"), py::arg("classes"), py::arg("centres"));
}

}  // namespace dcsvm::bindings
