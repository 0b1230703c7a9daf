// numpy and CSR in, DataView out. Memory safety is settled here; values are checked by the core.
#include <algorithm>
#include <cstdint>

#include "caster.hpp"
#include "register.hpp"

namespace dcsvm::bindings {
namespace {

ScalarType scalar_of(const py::array& a, const char* what) {
  if (py::isinstance<py::array_t<float>>(a)) return ScalarType::float32;
  if (py::isinstance<py::array_t<double>>(a)) return ScalarType::float64;
  throw DataError(std::string(what) + " must be float32 or float64, got " + py::str(a.dtype()).cast<std::string>());
}

IndexType index_of(const py::array& a, const char* what) {
  if (py::isinstance<py::array_t<std::int32_t>>(a)) return IndexType::int32;
  if (py::isinstance<py::array_t<std::int64_t>>(a)) return IndexType::int64;
  throw DataError(std::string(what) + " must be int32 or int64, got " + py::str(a.dtype()).cast<std::string>());
}

/// a: not a row that numpy only repeats (numpy.broadcast_to), which the caller has copied.
DenseView dense_view(const py::array& a) {
  if (a.ndim() != 2) throw DataError("X must have 2 dimensions, got " + std::to_string(a.ndim()));
  const ScalarType scalar = scalar_of(a, "X");
  const auto size = a.itemsize();
  if (a.strides(0) % size != 0 || a.strides(1) % size != 0) throw DataError("X has strides between its elements");
  return {a.data(), scalar, a.shape(0), a.shape(1), a.strides(0) / size, a.strides(1) / size};
}

py::array part(const py::object& x, const char* name) {
  const py::object a = x.attr(name);
  if (!py::isinstance<py::array>(a)) throw DataError(std::string("X.") + name + " is not an array");
  const auto array = py::reinterpret_borrow<py::array>(a);
  if (array.ndim() != 1 || (array.size() > 1 && array.strides(0) != array.itemsize())) {
    throw DataError(std::string("X.") + name + " must be one-dimensional and contiguous");
  }
  return array;
}

// The core sees pointers, not lengths, and checks all but this.
template <class I>
void check_end(const void* indptr, Index rows, Index n_stored) {
  const I end = static_cast<const I*>(indptr)[rows];
  if (end > n_stored) {
    throw DataError("X.indptr ends at " + std::to_string(end) + " but X holds " + std::to_string(n_stored) + " values");
  }
}

DataArg csr_view(const py::object& x) {
  DataArg arg{{}, {part(x, "data"), part(x, "indices"), part(x, "indptr")}};
  const auto& [values, indices, indptr] = arg.owners;
  const auto shape = x.attr("shape").cast<std::pair<Index, Index>>();
  CsrView v{values.data(),
            scalar_of(values, "X.data"),
            indices.data(),
            indptr.data(),
            index_of(indices, "X.indices"),
            index_of(indptr, "X.indptr"),
            shape.first,
            shape.second};
  if (v.rows < 0 || v.cols < 0 || indptr.size() != v.rows + 1) {
    throw DataError("X.indptr has " + std::to_string(indptr.size()) + " entries, expected " + std::to_string(v.rows + 1));
  }
  const Index n_stored = std::min<Index>(values.size(), indices.size());
  if (v.indptr_type == IndexType::int32) {
    check_end<std::int32_t>(v.indptr, v.rows, n_stored);
  } else {
    check_end<std::int64_t>(v.indptr, v.rows, n_stored);
  }
  arg.view = v;
  return arg;
}

}  // namespace

DataArg as_view(const py::object& x) {
  if (py::isinstance<py::array>(x)) {
    const auto a = py::reinterpret_borrow<py::array>(x);
    return {dense_view(a), {a, {}, {}}};
  }
  if (py::hasattr(x, "indptr")) return csr_view(x);
  throw DataError("X must be an array or a CSR matrix");
}

std::string as_path(const py::object& path) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &bytes) == 0) throw py::error_already_set();
  return py::reinterpret_steal<py::bytes>(bytes);
}

void register_data(py::module_& m) {
  // What train and predict see of an array: for tests that nothing is copied.
  m.def("describe_data", [](const py::object& x) {
    const DataArg arg = as_view(x);
    py::dict d;
    d["rows"] = rows_of(arg.view);
    d["cols"] = cols_of(arg.view);
    if (const auto* v = std::get_if<DenseView>(&arg.view)) {
      d["address"] = reinterpret_cast<std::uintptr_t>(v->data);
      d["row_stride"] = v->row_stride;
      d["col_stride"] = v->col_stride;
    } else {
      d["address"] = reinterpret_cast<std::uintptr_t>(std::get<CsrView>(arg.view).values);
    }
    return d;
  });
}

}  // namespace dcsvm::bindings
