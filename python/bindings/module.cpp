// The extension module dcsvm._core. One register function per public header; nothing here decides anything.
#include "dcsvm/version.hpp"
#include "register.hpp"

// In a subinterpreter of Python before 3.12, pybind11 waits for ever for the lock that this thread holds. So the module's
// function is made under a name of its own, which PyInit__core calls where it is safe.
#undef PYBIND11_PLUGIN_IMPL
#define PYBIND11_PLUGIN_IMPL(name) static PyObject* make_##name()

// What calls share is constant, atomic or behind a mutex of the core, since they run without Python's global lock in any case.
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
  register_explain(m);
  register_cross_validate(m);
  register_kernel(m);
  register_merge(m);
  register_online(m);
  register_io(m);
  register_low_rank(m);
  register_dc_pred(m);
  register_ridge(m);
  register_ls_svm(m);
  register_ldkl(m);
  register_linear(m);
}

extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return make__core();
  PyErr_SetString(PyExc_ImportError, "dcsvm cannot be imported in a subinterpreter: use threads or processes");
  return nullptr;
}
