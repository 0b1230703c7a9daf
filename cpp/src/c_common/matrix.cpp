#include "c_common/matrix.hpp"

#include "dcsvm/errors.hpp"

namespace dcsvm::c_common {

void fail(Index row, const std::string& what) { throw DataError("row " + std::to_string(row) + ": " + what); }

void check_matrix(const dcsvm_matrix* x) {
  if (x == nullptr) throw DataError("x: a null pointer");
  if (x->rows < 0 || x->cols < 0) throw DataError("x: its size is negative");
  if (x->indptr == nullptr) {
    if (x->values == nullptr && x->rows > 0 && x->cols > 0) throw DataError("x: no values");
    return;
  }
  if (x->indptr[0] < 0) fail(0, "indptr is negative");
  for (Index i = 0; i < x->rows; ++i) {
    const auto begin = x->indptr[i], end = x->indptr[i + 1];
    if (end < begin) fail(i, "indptr decreases");
    if (end > begin && (x->indices == nullptr || x->values == nullptr)) throw DataError("x: no values");
    for (auto e = begin; e < end; ++e) {
      const int least = e == begin ? 0 : x->indices[e - 1] + 1;
      if (x->indices[e] < least || x->indices[e] >= x->cols) {
        fail(i, "column " + std::to_string(x->indices[e]) + " is out of order or range");
      }
    }
  }
}

DataView view(const dcsvm_matrix& x) {
  if (x.indptr == nullptr) return dense(x.values, x.rows, x.cols);
  return CsrView{x.values, ScalarType::float64, x.indices, x.indptr, IndexType::int32, IndexType::int64, x.rows, x.cols};
}

}  // namespace dcsvm::c_common
