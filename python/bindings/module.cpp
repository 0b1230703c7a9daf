// The extension module dcsvm._core. One register function per public header; nothing here decides anything.
#include "dcsvm/version.hpp"
#include "register.hpp"

PYBIND11_MODULE(_core, m, py::mod_gil_not_used()) {
  using namespace dcsvm::bindings;
  m.doc() = "The C++ core of dcsvm. Use the package dcsvm: it checks and converts what this module takes as given.";
  m.attr("__version__") = dcsvm::version();
  register_errors(m);
  register_build_config(m);
  register_params(m);
  register_data(m);
  register_model(m);
  register_train(m);
  register_predict(m);
  register_cross_validate(m);
  register_kernel(m);
  register_merge(m);
  register_online(m);
  register_io(m);
  register_low_rank(m);
  register_dc_pred(m);
  register_ridge(m);
  register_ls_svm(m);
  register_linear(m);
}
