#include <vector>

#include "doctest/doctest.h"
#include "svm/model/model_data.hpp"

using namespace dcsvm;
using data::copy_points;
using data::PointStore;

namespace {

const std::vector<Index> kPicked = {3, 0, 3, 2};

template <class T>
const std::vector<T>& values(const PointStore& p) {
  if constexpr (sizeof(T) == 4) {
    CHECK(p.scalar == ScalarType::float32);
    CHECK(p.values64.empty());
    return p.values32;
  } else {
    CHECK(p.scalar == ScalarType::float64);
    CHECK(p.values32.empty());
    return p.values64;
  }
}

template <class T, class I, class P>
void copies_csr() {
  const std::vector<T> v = {1, 2, 3, 4, 5};
  const std::vector<I> indices = {0, 4, 2, 1, 3};
  const std::vector<P> indptr = {0, 2, 2, 3, 5};
  const CsrView x{v.data(),
                  sizeof(T) == 4 ? ScalarType::float32 : ScalarType::float64,
                  indices.data(),
                  indptr.data(),
                  sizeof(I) == 4 ? IndexType::int32 : IndexType::int64,
                  sizeof(P) == 4 ? IndexType::int32 : IndexType::int64,
                  4,
                  5};
  const PointStore p = copy_points(x, kPicked);
  CHECK(p.sparse);
  CHECK(p.rows == 4);
  CHECK(p.cols == 5);
  CHECK(values<T>(p) == std::vector<T>{4, 5, 1, 2, 4, 5, 3});
  CHECK(p.indices == std::vector<std::int64_t>{1, 3, 0, 4, 1, 3, 2});
  CHECK(p.indptr == std::vector<std::int64_t>{0, 2, 4, 6, 7});
  const auto view = std::get<CsrView>(p.view());
  CHECK(view.values == static_cast<const void*>(values<T>(p).data()));
  CHECK(view.index_type == IndexType::int64);
  CHECK(view.indptr_type == IndexType::int64);
  CHECK(copy_points(p.view(), {1, 3}).indptr == std::vector<std::int64_t>{0, 2, 3});
  CHECK(copy_points(x, {}).indptr == std::vector<std::int64_t>{0});
}

}  // namespace

TEST_CASE_TEMPLATE("copy_points picks rows of a dense matrix of any strides", T, float, double) {
  const std::vector<T> c = {0, 1, 10, 11, 20, 21, 30, 31}, f = {0, 10, 20, 30, 1, 11, 21, 31};
  DenseView fortran = dense(f.data(), 4, 2), reversed = dense(c.data() + 6, 4, 2);
  fortran.row_stride = 1;
  fortran.col_stride = 4;
  reversed.row_stride = -2;
  const std::vector<T> expected = {30, 31, 0, 1, 30, 31, 20, 21};
  for (const DenseView& x : {dense(c.data(), 4, 2), fortran}) {
    const PointStore p = copy_points(x, kPicked);
    CHECK_FALSE(p.sparse);
    CHECK(values<T>(p) == expected);
    const auto view = std::get<DenseView>(p.view());
    CHECK(view.data == static_cast<const void*>(values<T>(p).data()));
    CHECK(view.rows == 4);
    CHECK(view.cols == 2);
    CHECK(view.row_stride == 2);
    CHECK(view.col_stride == 1);
  }
  CHECK(values<T>(copy_points(reversed, {0, 3})) == std::vector<T>{30, 31, 0, 1});
  CHECK(copy_points(fortran, {}).rows == 0);
  CHECK(copy_points(fortran, {}).cols == 2);
}

TEST_CASE("copy_points picks rows of a CSR matrix of any types") {
  copies_csr<float, std::int32_t, std::int32_t>();
  copies_csr<float, std::int32_t, std::int64_t>();
  copies_csr<float, std::int64_t, std::int32_t>();
  copies_csr<float, std::int64_t, std::int64_t>();
  copies_csr<double, std::int32_t, std::int32_t>();
  copies_csr<double, std::int32_t, std::int64_t>();
  copies_csr<double, std::int64_t, std::int32_t>();
  copies_csr<double, std::int64_t, std::int64_t>();
}
