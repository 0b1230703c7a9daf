// What the other files share: one function for each of them.
#pragma once

#include <pybind11/pybind11.h>

namespace py = pybind11;

namespace dcsvm::bindings {

void register_errors(py::module_& m);
void register_build_config(py::module_& m);
void register_params(py::module_& m);
void register_data(py::module_& m);
void register_model(py::module_& m);
void register_train(py::module_& m);
void register_predict(py::module_& m);
void register_explain(py::module_& m);
void register_cross_validate(py::module_& m);
void register_kernel(py::module_& m);
void register_merge(py::module_& m);
void register_online(py::module_& m);
void register_io(py::module_& m);
void register_low_rank(py::module_& m);
void register_dc_pred(py::module_& m);
void register_ridge(py::module_& m);
void register_ls_svm(py::module_& m);
void register_ldkl(py::module_& m);
void register_linear(py::module_& m);

}  // namespace dcsvm::bindings
