// Bounds of rounding (kernel_functions/rounding.hpp) against values in long double: no value is further off, and the bound is not
// so wide that it says nothing.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "data/summary.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernel_matrix/rounded_rows.hpp"
#include "kernels/kernel_traits.hpp"
#include "simd/bytes.hpp"
#include "simd/ops.hpp"

using namespace dcsvm;
using namespace rounded_rows;
using base::ThreadPool;

namespace {

void check_bound(Rows kind, Index d, KernelParams kernel, std::uint64_t seed) {
  const Index n = 160;
  std::vector<double> x = points(kind, n, d, seed);
  if (traits_of(kernel.type).nonnegative) {
    for (double& v : x) v = std::abs(v);
  }
  double norm2 = 0;
  for (Index i = 0; i < n; ++i) norm2 = std::max(norm2, std::inner_product(&x[i * d], &x[i * d] + d, &x[i * d], 0.0));
  if (!kernels::takes_distance(kernel.type)) kernel.gamma /= norm2;
  CAPTURE(static_cast<int>(kind));
  CAPTURE(d);
  CAPTURE(kernel.gamma);
  CAPTURE(static_cast<int>(kernel.type));
  ThreadPool pool(1);
  const auto rows = kernel_matrix::make_kernel_rows<float>(dense(x.data(), n, d), kernel, pool);
  const kernels::Rounding rounding = rows->rounding();
  const double error = largest_error(*rows, x, d, kernel);
  CHECK(error <= at_most(rounding));
  // Elsewhere the largest norm is rare, and so are such errors.
  if (kind == Rows::normal && kernel.type == KernelType::rbf && kernel.gamma * static_cast<double>(d) < 5)
    CHECK(error >= (3.0 * rounding.deviation + rounding.shared + rounding.of_row) / 50.0);
  CHECK(rounding.largest > 0);
  CHECK(rounding.shared_norm > 0);
}

}  // namespace

TEST_CASE("No float kernel value is further off than its bound") {
  std::uint64_t seed = 1;
  for (const Rows kind : {Rows::normal, Rows::offset, Rows::bits, Rows::bytes, Rows::rounded_bytes, Rows::far_bytes,
                          Rows::near_duplicates, Rows::wide_range}) {
    for (const Index d : {Index{1}, Index{2}, Index{22}, Index{150}}) {
      const double unit = kind == Rows::bytes ? 1.0 / 3600 : kind == Rows::wide_range ? 1e-2 : 1.0;
      check_bound(kind, d, {KernelType::poly, 2, 2.0, 0.0}, ++seed);
      for (const KernelType type : kernel_twin::all_types()) {
        if (!kernels::takes_distance(type)) check_bound(kind, d, {type, 3, 1.0, 0.3}, ++seed);
      }
      for (const double gamma : {0.02, 0.5, 10.0}) {
        for (const KernelType type : kernel_twin::all_types()) {
          if (!kernels::takes_distance(type)) continue;
          const double of_square = gamma * unit / static_cast<double>(d);
          const GammaOf of = traits_of(type).gamma_of;
          const double in_its_unit = of == GammaOf::square   ? of_square
                                     : of == GammaOf::length ? std::sqrt(of_square)
                                                             : of_square / std::sqrt(unit);
          check_bound(kind, d, {type, 3, in_its_unit, 0}, ++seed);
        }
      }
    }
  }
}

TEST_CASE("Nor of a kernel so local that the distances it sees are far below the rounding of the norms") {
  std::uint64_t seed = 500;
  for (const Index d : {Index{1}, Index{10}, Index{22}, Index{80}, Index{150}}) {
    for (const double gamma : {1e5, 1e6, 1e7, 1e8, 1e10}) {
      check_bound(Rows::near_duplicates, d, {KernelType::rbf, 3, gamma / static_cast<double>(d), 0}, ++seed);
      for (const KernelType type : {KernelType::exponential, KernelType::matern32, KernelType::matern52})
        check_bound(Rows::near_duplicates, d, {type, 3, std::sqrt(gamma / static_cast<double>(d)), 0}, ++seed);
    }
    for (const double gamma : {0.02, 0.5, 10.0})
      check_bound(Rows::near_levels, d, {KernelType::rbf, 3, gamma * 0x1p66 / 3600 / static_cast<double>(d), 0}, ++seed);
  }
}

TEST_CASE("In double the distances of such a kernel have digits: points that differ by 2^-40 of themselves, also on levels") {
  ThreadPool pool(1);
  for (const auto& [kind, d] : {std::pair{Rows::normal, Index{1}},
                                {Rows::normal, 10},
                                {Rows::normal, 30},
                                {Rows::normal, 100},
                                {Rows::near_levels, 1},
                                {Rows::near_levels, 30},
                                {Rows::near_levels, 100}}) {
    CAPTURE(static_cast<int>(kind));
    CAPTURE(d);
    const Index n = 60;
    std::vector<double> x = points(kind, n, d, 3);
    for (Index i = 10 * d; i < n * d && kind == Rows::normal; ++i) x[i] = x[i % (10 * d)] + 0x1p-40 * x[i];
    for (const KernelType type :
         {KernelType::rbf, KernelType::exponential, KernelType::laplacian, KernelType::matern32, KernelType::matern52}) {
      const double closer = kind == Rows::normal ? 0x1p39 : 0x1p27;
      const double root = closer / (type == KernelType::laplacian ? static_cast<double>(d) : std::sqrt(static_cast<double>(d)));
      const KernelParams kernel{type, 3, type == KernelType::rbf ? root * root : root, 0};
      CHECK(largest_error(*kernel_matrix::make_kernel_rows<double>(dense(x.data(), n, d), kernel, pool), x, d, kernel) < 1e-13);
      const Sparse sparse(x, n, d);
      CHECK(largest_error(*kernel_matrix::make_kernel_rows<double>(sparse.view(), kernel, pool), x, d, kernel) < 1e-13);
    }
  }
}

TEST_CASE("Sparse rows of many columns that are nearly equal, some in other columns: bounds and digits") {
  const Index n = 160, d = 30;
  ThreadPool pool(1);
  for (const int closer : {3, 10, 16, 22, 30}) {
    std::vector<double> x = points(Rows::normal, n, d, 7 + closer);
    for (Index i = 0; i < n * d; ++i) {
      const bool zero = (i * 2654435761U >> 5) % 10 < 4, moves = (i * 2246822519U >> 7) % 10 < 7;
      if (i < 20 * d) x[i] = zero ? 0.0 : std::abs(x[i]);
      if (i >= 20 * d) x[i] = x[i % (20 * d)] + (moves ? std::ldexp(std::abs(x[i]), -closer) : 0.0);
    }
    const Sparse sparse(x, n, d);
    for (const KernelType type : {KernelType::rbf, KernelType::exponential, KernelType::laplacian, KernelType::matern32,
                                  KernelType::matern52, KernelType::chi2}) {
      const bool of_sum = type == KernelType::laplacian || type == KernelType::chi2;
      const double root = std::ldexp(1.0, closer) / (of_sum ? static_cast<double>(d) : std::sqrt(static_cast<double>(d)));
      const KernelParams kernel{type, 3, type == KernelType::rbf ? root * root : root, 0};
      CAPTURE(closer);
      CAPTURE(static_cast<int>(type));
      const auto in_float = kernel_matrix::make_kernel_rows<float>(sparse.view(), kernel, pool);
      const kernels::Rounding rounding = in_float->rounding();
      CHECK(largest_error(*in_float, x, d, kernel) <= at_most(rounding));
      const auto in_double = kernel_matrix::make_kernel_rows<double>(sparse.view(), kernel, pool);
      const kernels::Rounding of_double = in_double->rounding();
      const double error = largest_error(*in_double, x, d, kernel);
      CHECK(error <= at_most(of_double));
      CHECK(error < 1e-13);
    }
  }
}

TEST_CASE("Rows of thousands of equal features: what rounding makes of their norms does not hide that they are near") {
  const Index n = 40, d = 6000;
  ThreadPool pool(1);
  base::Random random(5);
  std::vector<double> x;
  for (Index i = 0; i < n; ++i) {
    const double near = i % 2 == 0 ? 0.5 + 0.5 * random.uniform() : x[(i - 1) * d] * (1.0 + 1e-7 * random.uniform());
    x.insert(x.end(), static_cast<std::size_t>(d), near);
  }
  std::vector<std::int32_t> columns(static_cast<std::size_t>(d));
  std::iota(columns.begin(), columns.end(), 0);
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> indptr{0};
  for (Index i = 0; i < n; ++i) {
    indices.insert(indices.end(), columns.begin(), columns.end());
    indptr.push_back(static_cast<std::int64_t>(indices.size()));
  }
  const DataView wide =
      CsrView{x.data(), ScalarType::float64, indices.data(), indptr.data(), IndexType::int32, IndexType::int64, n, 30000};
  const KernelParams kernel{KernelType::rbf, 3, 1e14 / (0.56 * static_cast<double>(d)), 0};
  CHECK(largest_error(*kernel_matrix::make_kernel_rows<double>(wide, kernel, pool), x, d, kernel) < 1e-13);
  CHECK(largest_error(*kernel_matrix::make_kernel_rows<double>(dense(x.data(), n, d), kernel, pool), x, d, kernel) < 1e-13);
}

TEST_CASE("Double rows as given, in regions: features keep their digits") {
  const Index n = 9000, d = 10;
  ThreadPool pool(2);
  base::Random random(6);
  const double gamma = 1e14;
  std::vector<double> x;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k)
      x.push_back(i % 3 == 0 ? std::pow(random.uniform(), 6.0) : x[(i - 1) * d + k] + 3e-8 * random.uniform());
  }
  const KernelParams kernel{KernelType::rbf, 3, gamma, 0};
  const auto rows = kernel_matrix::make_kernel_rows<double>(dense(x.data(), n, d), kernel, pool, 1e-20);
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  const auto columns = rows->columns(all.data(), n, std::size_t{1} << 30, pool);
  REQUIRE(columns->region_size() > 0);
  std::vector<double> k(60 * n);
  columns->block(all.data(), 60, k.data(), n, pool);
  double largest = 0;
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 63; ++j) {
      const long double off = k[i * n + j] - exact_value(kernel, &x[i * d], &x[j * d], d);
      largest = std::max(largest, static_cast<double>(std::abs(off)));
    }
  }
  CHECK(largest < 1e-12);
}

TEST_CASE("Whole numbers: inner products are exact, so that only the kernel's function is rounded") {
  const Index n = 120, d = 100;
  ThreadPool pool(1);
  base::Random random(11);
  for (const Index levels : {2, 40}) {
    for (const double unit : {1.0, 0x1p-9}) {
      std::vector<double> x(n * d);
      for (double& v : x) v = random.below(5) == 0 ? unit * static_cast<double>(random.below(levels)) : 0.0;
      const Sparse sparse(x, n, d);
      const double norm2 = 0.2 * unit * unit * static_cast<double>(d * levels * levels) / 3.0;
      CAPTURE(levels);
      CAPTURE(unit);
      for (const KernelType type :
           {KernelType::rbf, KernelType::matern52, KernelType::linear, KernelType::poly, KernelType::tanimoto}) {
        CAPTURE(static_cast<int>(type));
        const KernelParams kernel{type, 2, type == KernelType::matern52 ? 1.0 / std::sqrt(norm2) : 1.0 / norm2, 0.0};
        const auto rows = kernel_matrix::make_kernel_rows<float>(sparse.view(), kernel, pool);
        const kernels::Rounding rounding = rows->rounding();
        CHECK(largest_error(*rows, x, d, kernel) <= at_most(rounding));
        CHECK(rounding.largest <= 20.0 * 0x1p-24 * rounding.value);
        // One feature of more digits, and nothing is exact any more.
        std::vector<double> y = x;
        y[7] = unit / 3.0;
        const Sparse inexact(y, n, d);
        CHECK(kernel_matrix::make_kernel_rows<float>(inexact.view(), kernel, pool)->rounding().largest > 2.0 * rounding.largest);
      }
    }
  }
}

TEST_CASE("Nor where all products of a sum are equal, so that their roundings have one sign") {
  std::uint64_t seed = 1000;
  for (const Index d : {Index{64}, Index{700}, Index{3000}}) {
    check_bound(Rows::constant, d, {KernelType::rbf, 3, 0.1 / static_cast<double>(d), 0}, ++seed);
    check_bound(Rows::constant, d, {KernelType::linear, 3, 1.0, 0}, ++seed);
    check_bound(Rows::constant, d, {KernelType::poly, 3, 1.0, 1.0}, ++seed);
    check_bound(Rows::constant, d, {KernelType::sigmoid, 3, 1.0, 0.3}, ++seed);
    check_bound(Rows::constant, d, {KernelType::tanimoto}, ++seed);
    check_bound(Rows::constant, d, {KernelType::exponential, 3, 0.3 / std::sqrt(static_cast<double>(d)), 0}, ++seed);
    check_bound(Rows::constant, d, {KernelType::laplacian, 3, 0.1 / static_cast<double>(d), 0}, ++seed);
    check_bound(Rows::constant, d, {KernelType::chi2, 3, 0.1 / static_cast<double>(d), 0}, ++seed);
  }
}

TEST_CASE("Columns of a cluster with a few points far from it: what they shift to does not cost digits") {
  const Index n = 600, d = 22;
  std::vector<double> x = points(Rows::normal, n, d, 5);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) x[i * d + k] = 0.02 * x[i * d + k] + (i % 2 == 0 ? 6.0 : -6.0);
  }
  const KernelParams kernel{KernelType::rbf, 3, 1.0, 0};
  ThreadPool pool(1);
  const auto rows = kernel_matrix::make_kernel_rows<float>(dense(x.data(), n, d), kernel, pool);
  const kernels::Rounding rounding = rows->rounding();
  for (const Index n_far : {0, 1, 3, 40}) {
    std::vector<Index> columns;
    for (Index i = 0; i < n; i += 2) columns.push_back(i);
    for (Index i = 0; i < n_far; ++i) columns.push_back(2 * i + 1);
    const auto m = static_cast<Index>(columns.size());
    std::vector<float> k(m * m);
    rows->columns(columns.data(), m, std::size_t{1} << 30, pool)->block(columns.data(), m, k.data(), m, pool);
    double largest = 0;
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) {
        const long double off = k[i * m + j] - exact_value(kernel, &x[columns[i] * d], &x[columns[j] * d], d);
        largest = std::max(largest, static_cast<double>(std::abs(off)));
      }
    }
    CAPTURE(n_far);
    CHECK(largest <= at_most(rounding));
  }
}

TEST_CASE("A given matrix: its largest value decides, wherever it is") {
  const Index n = 100;
  std::vector<double> k(n * n, 0.1);
  k[37 * n + 2] = k[2 * n + 37] = 7.3;
  ThreadPool pool(1);
  const auto rows = kernel_matrix::make_precomputed_rows<float>(dense(k.data(), n, n));
  CHECK(rows->rounding().value == doctest::Approx(7.3));
  CHECK(rows->rounding().largest >= std::abs(7.3 - static_cast<double>(7.3F)));
}

TEST_CASE("What adding up products rounds is within its bound, and nothing where they are added in double") {
  const Index n = 300, d = 20;
  ThreadPool pool(1);
  base::Random random(11);
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> coef(n);
  double square = 0, sum = 0;
  for (double& c : coef) c = 2.0 * random.uniform() - 1.0, square += c * c, sum += std::abs(c);
  const auto worst = [&](const kernel_matrix::RowSource<float>& rows) {
    const auto columns = rows.columns(all.data(), n, 1 << 24, pool);
    std::vector<double> added(n, 0.0);
    columns->multiply(all.data(), coef.data(), n, added.data(), pool);
    std::vector<float> values(n * n);
    columns->block(all.data(), n, values.data(), n, pool);
    double largest = 0;
    for (Index j = 0; j < n; ++j) {
      long double one = 0;
      for (Index r = 0; r < n; ++r) one += static_cast<long double>(coef[r]) * static_cast<long double>(values[r * n + j]);
      largest = std::max(largest, std::abs(static_cast<double>(static_cast<long double>(added[j]) - one)));
    }
    return largest;
  };
  for (const Rows kind : {Rows::normal, Rows::bytes, Rows::constant}) {
    std::vector<double> x = points(kind, n, d, 5);
    for (double& v : x) v = std::abs(v);
    const Sparse sparse(x, n, d);
    for (const KernelType type : {KernelType::rbf, KernelType::laplacian, KernelType::poly, KernelType::tanimoto}) {
      const double scale = kind == Rows::bytes ? 1e-5 : 0.05;
      const KernelParams kernel{type, 2, scale, type == KernelType::poly ? 1.0 : 0.0};
      CAPTURE(static_cast<int>(kind));
      CAPTURE(static_cast<int>(type));
      const auto of_dense = kernel_matrix::make_kernel_rows<float>(dense(x.data(), n, d), kernel, pool);
      CHECK(of_dense->rounding().sums > 0);
      CHECK(worst(*of_dense) <= 8.0 * of_dense->rounding().sums * std::sqrt(square));
      const auto of_sparse = kernel_matrix::make_kernel_rows<float>(sparse.view(), kernel, pool);
      CHECK(of_sparse->rounding().sums == 0);
      CHECK(worst(*of_sparse) <= 1e-14 * of_sparse->rounding().value * sum);
    }
  }
}

TEST_CASE("Features of few values, and whole numbers, have kernel values that are rounded alike") {
  const Index n = 300, d = 20;
  ThreadPool pool(1);
  const auto alike = [&](std::vector<double> x, bool sparse, KernelType type) {
    for (double& v : x) v = std::abs(v);
    const Sparse rows(x, n, d);
    const DataView view = sparse ? rows.view() : DataView(dense(x.data(), n, d));
    return kernel_matrix::make_kernel_rows<float>(view, {type, 3, 0.1, 0}, pool)->rounding().alike;
  };
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian, KernelType::tanimoto}) {
    for (const bool sparse : {false, true}) {
      CAPTURE(static_cast<int>(type));
      CAPTURE(sparse);
      std::vector<double> words = points(Rows::bits, n, d, 3);
      CHECK(alike(words, sparse, type));
      for (Index i = 0; i < n * d; ++i) words[i] *= 1.0 + 1e-3 * static_cast<double>(i / d % 200);  // rows of 200 lengths
      CHECK(alike(words, sparse, type));
      CHECK_FALSE(alike(points(Rows::normal, n, d, 3), sparse, type));
    }
  }
  std::vector<double> counts(n * d);
  for (Index i = 0; i < n * d; ++i) counts[i] = static_cast<double>(i % 400);
  CHECK(alike(counts, true, KernelType::rbf));
}

// Equal terms are rounded in the same direction again and again. A strip of AMX has 16 rows, that of others at most 8.
TEST_CASE("What adding up equal products of one strip rounds is, in the mean, within its bound") {
  const Index n = 16, d = 4;
  ThreadPool pool(1);
  base::Random random(3);
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), 0);
  const std::vector<double> bits{0, 1, 1, 0}, bytes{0, 3, 7, 200}, reals{0.1, 0.7123, 3.1416, 1.7};
  for (const std::vector<double>& first : {bits, bytes, reals}) {
    std::vector<double> x(n * d, first[1]);
    std::copy(first.begin(), first.end(), x.begin());
    CAPTURE(first[3]);
    if (simd::byte_ops() != nullptr && simd::has_bit_ops()) {
      const auto grid = data::Summary(dense(x.data(), n, d)).byte_grid(true, pool);
      CHECK((grid.step > 0) == (first != reals));
      CHECK(grid.bits == (first == bits));
    }
    const auto rows = kernel_matrix::make_kernel_rows<float>(dense(x.data(), n, d), {KernelType::rbf, 0, 1e-3, 0.0}, pool);
    const auto columns = rows->columns(all.data(), n, 1 << 24, pool);
    std::vector<float> values(n * n);
    columns->block(all.data(), n, values.data(), n, pool);
    double squares = 0;
    const int trials = 400;
    for (int t = 0; t < trials; ++t) {
      const std::vector<double> coef(n, 1.0 + random.uniform());
      std::vector<double> added(n, 0.0);
      columns->multiply(all.data(), coef.data(), n, added.data(), pool);
      long double one = 0;
      for (Index r = 0; r < n; ++r) one += static_cast<long double>(coef[r]) * static_cast<long double>(values[r * n + 1]);
      const double error = static_cast<double>(static_cast<long double>(added[1]) - one) / (coef[0] * std::sqrt(n));
      squares += error * error;
    }
    CHECK(std::sqrt(squares / trials) <= rows->rounding().sums);
  }
}
