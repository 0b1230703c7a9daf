// The one place where C++ errors become Python's.
#include <cerrno>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "caster.hpp"
#include "dcsvm/errors.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

PyObject* model_error = nullptr;  // dcsvm.ModelError; lives as long as the module

void set_error(PyObject* type, const char* what) { PyErr_SetObject(type, text_of(what).ptr()); }

// OSError(errno, text, filename) picks FileNotFoundError, PermissionError, ... by errno.
void raise_os_error(const FileError& e, const std::string* path) {
  if (e.code() == 0) {
    set_error(PyExc_OSError, e.what());
  } else if (path == nullptr) {
    const py::tuple arguments = py::make_tuple(e.code(), text_of(e.what()));
    PyErr_SetObject(PyExc_OSError, arguments.ptr());
  } else {
    const auto name =
        py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefaultAndSize(path->data(), static_cast<Py_ssize_t>(path->size())));
    errno = e.code();
    PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, name.ptr());
  }
}

void raise_no_memory() {
  py::set_error(PyExc_MemoryError, "not enough memory for this call: use less data, a smaller cache_size or fewer threads");
}

void translate(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const ModelError& e) {
    set_error(model_error, e.what());
  } catch (const ParameterError& e) {
    set_error(PyExc_ValueError, e.what());
  } catch (const DataError& e) {  // ParseError too
    set_error(PyExc_ValueError, e.what());
  } catch (const PathError& e) {
    raise_os_error(e, &e.path());
  } catch (const FileError& e) {
    raise_os_error(e, nullptr);
  } catch (const CapError& e) {
    set_error(PyExc_MemoryError, e.what());
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const std::bad_alloc&) {
    raise_no_memory();
  } catch (const std::length_error&) {  // of a standard container; pybind11 would make a ValueError of it
    raise_no_memory();
  } catch (const Error& e) {
    set_error(PyExc_RuntimeError, e.what());
  }
}

}  // namespace

py::object text_of(const std::string& text) {
  auto* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(decoded);
}

void register_errors(py::module_& m) {
  model_error = PyErr_NewExceptionWithDoc("dcsvm.ModelError", "A model file is damaged or of an unknown version.",
                                          PyExc_ValueError, nullptr);
  if (model_error == nullptr) throw py::error_already_set();
  m.attr("ModelError") = py::reinterpret_borrow<py::object>(model_error);
  py::register_local_exception_translator(translate);
}

}  // namespace dcsvm::bindings
