// Data between Python and C++. Arrays go in as views, without a copy; vectors come out as arrays.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcsvm/data.hpp"
#include "dcsvm/errors.hpp"
#include "dcsvm/train.hpp"

namespace dcsvm::bindings {

namespace py = pybind11;

using Vector = py::array_t<double, py::array::c_style>;

/// A view of a Python matrix and what keeps its memory alive.
struct DataArg {
  DataView view;
  std::array<py::array, 3> owners;
};

/// A 2-d float32 or float64 ndarray of any strides, or an object with CSR's data, indices, indptr and shape.
/// Throws DataError for anything else: dcsvm._input.validate.as_data converts first. Implemented in data.cpp.
DataArg as_view(const py::object& x);

/// A path (str, bytes or os.PathLike) in the file system's encoding.
std::string as_path(const py::object& path);

/// A text that may have bytes of a file or of a path, which need not be UTF-8. Implemented in errors.cpp.
py::object text_of(const std::string& text);

/// A FileError with its path, for Python's OSError.filename.
class PathError : public FileError {
 public:
  PathError(const FileError& e, std::string path) : FileError(e), path_(std::move(path)) {}
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};
/// Runs f; a FileError leaves as a PathError.
template <class F>
auto with_path(const std::string& path, F&& f) {
  try {
    return f();
  } catch (const FileError& e) {
    throw PathError(e, path);
  }
}

/// An array that takes over the vector's memory.
template <class T>
py::array_t<T> take(std::vector<T>&& values) {
  auto owner = std::make_unique<std::vector<T>>(std::move(values));
  const T* data = owner->data();
  const auto size = static_cast<py::ssize_t>(owner->size());
  const py::capsule free(owner.get(), [](void* p) { delete static_cast<std::vector<T>*>(p); });
  owner.release();
  return py::array_t<T>(size, data, free);
}

/// A copy as an array.
template <class T>
py::array_t<T> copy(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// For Hooks::interrupted: runs Python's signal handlers; what they raise (KeyboardInterrupt) travels through the core.
inline bool check_signals() {
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return false;
}

/// Signals, and `progress` (None or a callable, which must outlive the hooks). Implemented in svm_train.cpp.
Hooks hooks_of(const py::object& progress);
/// The argument checkpoint of train and cross_validate, None or a path; None: empty.
std::string checkpoint_path(const py::object& path);

}  // namespace dcsvm::bindings
