// Sparse rows in groups: columns that are numbered within a group against columns with their own numbers, to the bit.
#include <cstdint>
#include <map>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "kernels/sparse_groups.hpp"
#include "simd/ops.hpp"

using namespace dcsvm;
using kernels::ColumnNumbers;
using kernels::SparseGroups;

namespace {

struct Rows {
  std::vector<double> values;
  std::vector<std::int64_t> indices, indptr{0};
  CsrView view(Index cols) const {
    return {values.data(),
            ScalarType::float64,
            indices.data(),
            indptr.data(),
            IndexType::int64,
            IndexType::int64,
            static_cast<Index>(indptr.size()) - 1,
            cols};
  }
};

/// Rows whose columns are whole multiples of `step`; some rows are empty.
Rows random_rows(Index n, std::int64_t step, base::Random& random) {
  Rows rows;
  for (Index i = 0; i < n; ++i) {
    const Index stride = 1 + random.below(40);
    for (Index j = random.below(stride); i % 7 != 3 && j < 200; j += stride) {
      rows.indices.push_back(j * step);
      rows.values.push_back(2.0 * random.uniform() - 1.0);
    }
    rows.indptr.push_back(static_cast<std::int64_t>(rows.indices.size()));
  }
  return rows;
}

template <class T>
std::vector<T> all_products(const CsrView& x) {
  const Index n = x.rows, width = simd::ops<T>().sparse_w, groups = (n + width - 1) / width;
  const SparseGroups<T> queries(x, nullptr, 0, n, kernels::Term::product);
  const auto points = data::copy_sparse_rows<T>(x, nullptr, 0, n);
  std::vector<T> out(static_cast<std::size_t>(groups * n * width));
  for (Index g = 0; g < groups; ++g) queries.products(g, points, 0, n, out.data() + g * n * width);
  for (Index r = 0; r < n; ++r) out.push_back(queries.norm(r));
  return out;
}

}  // namespace

TEST_CASE("column numbers: every column once, others not found") {
  base::Random random(3);
  std::vector<std::int32_t> columns;
  std::map<std::int32_t, std::int32_t> expected;
  for (int t = 0; t < 5000; ++t) {
    columns.push_back(static_cast<std::int32_t>(random.below(3000) * (t % 2 == 0 ? 1 : 715827)));
    expected.emplace(columns.back(), static_cast<std::int32_t>(expected.size()));
  }
  const ColumnNumbers numbers(columns.data(), static_cast<Index>(columns.size()));
  CHECK(numbers.size() == static_cast<Index>(expected.size()));
  for (const auto& [column, number] : expected) CHECK(numbers.find(column) == number);
  CHECK(numbers.find(3001) == -1);
  CHECK(numbers.find(2147483647) == -1);
  const ColumnNumbers none(nullptr, 0);
  CHECK(none.size() == 0);
  CHECK(none.find(0) == -1);
}

TEST_CASE_TEMPLATE("sparse groups: the number of columns changes no bit of a product", T, float, double) {
  for (const Index n : {1, 5, 64, 150}) {
    base::Random random(11);
    const Rows narrow = random_rows(n, 1, random);
    Rows wide = narrow;
    for (auto& column : wide.indices) column *= 10737418;
    const auto expected = all_products<T>(narrow.view(200));
    CHECK(all_products<T>(wide.view(2147483647)) == expected);
  }
}
