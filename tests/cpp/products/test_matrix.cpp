#include "products/matrix.hpp"

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

TEST_CASE("products of sparse rows of every length are those of their values, in every layout") {
  constexpr Index kRows = 21, kCols = 90;
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> indptr{0};
  base::Random random(3);
  for (Index i = 0; i < kRows; ++i) {  // row i has i values
    for (Index t = 0; t < i; ++t) {
      columns.push_back(static_cast<std::int32_t>(4 * t + random.below(4)));
      values.push_back(static_cast<double>(random.below(2048)) / 64 - 16);  // a float, and no sum of products is rounded
    }
    indptr.push_back(static_cast<std::int64_t>(columns.size()));
  }
  std::vector<double> w;
  for (Index j = 0; j < kCols; ++j) w.push_back(static_cast<double>(random.below(512)) / 32 - 8);

  const std::vector<float> floats(values.begin(), values.end());
  std::vector<double> no_floats = values;
  no_floats.back() = 1.0 + 0x1.0p-40;
  base::ThreadPool pool(1);
  const auto check = [&](const products::Matrix& x, const std::vector<double>& v) {
    for (Index i = 0; i < kRows; ++i) {
      double dot = 0, norm2 = 0;
      std::vector<double> sum = w, got = w;
      for (auto t = static_cast<std::size_t>(indptr[i]); t < static_cast<std::size_t>(indptr[i + 1]); ++t) {
        dot += v[t] * w[columns[t]];
        norm2 += v[t] * v[t];
        sum[columns[t]] += 0.5 * v[t];
      }
      CHECK(x.dot(i, w.data()) == doctest::Approx(dot).epsilon(1e-14));
      CHECK(x.norm2(i) == doctest::Approx(norm2).epsilon(1e-14));
      x.add(i, 0.5, got.data());
      CHECK(got == sum);
    }
  };
  const auto view = [&](const auto* v, ScalarType type) {
    return CsrView{v, type, columns.data(), indptr.data(), IndexType::int32, IndexType::int64, kRows, kCols};
  };
  const products::Matrix in_float(view(floats.data(), ScalarType::float32), -1.0, std::size_t{1} << 20, pool);
  const products::Matrix in_double(view(no_floats.data(), ScalarType::float64), -1.0, std::size_t{1} << 20, pool);
  REQUIRE(in_float.has_floats());
  REQUIRE_FALSE(in_double.has_floats());
  check(in_float, values);
  check(in_double, no_floats);
  const auto narrow = in_float.compact(false, std::size_t{1} << 20, pool);
  REQUIRE(narrow);
  check(*narrow, values);
}
