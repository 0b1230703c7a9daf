// Row sources and cross kernels over byte data: the same kernel as ever, whatever the queries are.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "kernel_matrix/kernel_rows.hpp"
#include "kernels/byte_points.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using twin::Layout;
using twin::Matrix;
using twin::Stored;

namespace {

Matrix images(Index n, Index d, std::uint64_t seed) {
  base::Random random(seed);
  Matrix x(static_cast<std::size_t>(n), std::vector<double>(d));
  for (auto& row : x) {
    for (auto& v : row) v = static_cast<double>(random.uniform() < 0.5 ? 0 : random.below(256)) / 255.0;
  }
  return x;
}

std::vector<KernelParams> kernels_of() {
  return {{KernelType::linear, 3, 1, 0},
          {KernelType::rbf, 3, 0.2, 0},
          {KernelType::poly, 3, 0.1, 1.0},
          {KernelType::sigmoid, 3, 0.05, 0.1}};
}

template <class T>
double error(const std::vector<T>& out, const KernelParams& kernel, const Matrix& q, const Matrix& x) {
  double worst = 0;
  for (std::size_t r = 0; r < q.size(); ++r) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double truth = twin::kernel(kernel, q[r], x[j]);
      worst = std::max(worst, std::abs(static_cast<double>(out[r * x.size() + j]) - truth) / (1 + std::abs(truth)));
    }
  }
  return worst;
}

constexpr double kEps = static_cast<double>(std::numeric_limits<float>::epsilon());

}  // namespace

TEST_CASE("rows over byte data: any threads, any budget, the diagonal as a block gives it") {
  const Index n = 333, d = 31;
  const Matrix x = images(n, d, 1);
  std::vector<Index> idx;
  for (Index i = 0; i < n; ++i) idx.push_back(i * 7 % n);
  Matrix permuted;
  for (const Index i : idx) permuted.push_back(x[i]);
  for (const auto& kernel : kernels_of()) {
    for (const Layout layout : {Layout::c, Layout::csr}) {
      const Stored stored(x, d, layout, ScalarType::float32);
      std::vector<float> first;
      for (const int threads : {1, 2, 5}) {
        base::ThreadPool pool(threads);
        const auto source = kernel_matrix::make_kernel_rows<float>(stored.view(), kernel, pool);
        for (const std::size_t budget : {std::size_t{0}, std::size_t{1} << 30}) {
          const auto columns = source->columns(idx.data(), n, budget, pool);
          CHECK((columns->bytes() > static_cast<std::size_t>(n * d)) == (budget > 0));
          CHECK(columns->bytes() <= std::max(budget, static_cast<std::size_t>(n) * sizeof(Index) + 8));
          std::vector<float> out(n * n);
          columns->block(idx.data(), n, out.data(), n, pool);
          if (first.empty()) first = out;
          CHECK(out == first);
          for (Index r = 0; r < n; ++r) CHECK(out[r * n + r] == source->diagonal(idx[r]));
        }
      }
      CHECK(error(first, kernel, permuted, permuted) < 60 * kEps);
    }
  }
}

TEST_CASE("rows in double use bytes where the grid is exact, and are right to the digits of double") {
  const Index n = 333, d = 31;
  const Matrix x = images(n, d, 6);
  Matrix counts = x;  // whole numbers, which float32 holds
  for (auto& row : counts) {
    for (double& v : row) v = std::round(v * 12.0);
  }
  const double gain = simd::byte_ops() != nullptr ? simd::byte_ops()->gain : 1.0;
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  for (const auto& kernel : kernels_of()) {
    for (const Layout layout : {Layout::c, Layout::csr}) {
      for (const bool whole : {false, true}) {
        const Matrix& values = whole ? counts : x;
        const Stored stored(values, d, layout, whole ? ScalarType::float32 : ScalarType::float64);
        std::vector<double> first;
        for (const int threads : {1, 3}) {
          base::ThreadPool pool(threads);
          const auto source = kernel_matrix::make_kernel_rows<double>(stored.view(), kernel, pool);
          if (layout == Layout::c) CHECK(source->work_per_value() == static_cast<double>(d) / gain);
          for (const std::size_t budget : {std::size_t{0}, std::size_t{1} << 30}) {
            std::vector<double> out(n * n), sums(static_cast<std::size_t>(n), 0.0);
            source->columns(all.data(), n, budget, pool)->block(all.data(), n, out.data(), n, pool);
            if (first.empty()) {
              CHECK(error(out, kernel, values, values) < 60 * std::numeric_limits<double>::epsilon());
              first = out;
            }
            CHECK(out == first);
            const std::vector<Index> some = {5, 17, 300};
            const std::vector<double> coef = {1.0, -2.0, 0.5};
            source->columns(all.data(), n, budget, pool)->multiply(some.data(), coef.data(), 3, sums.data(), pool);
            double worst = 0;
            for (Index j = 0; j < n; ++j) {
              const double expected = out[5 * n + j] - 2.0 * out[17 * n + j] + 0.5 * out[300 * n + j];
              worst = std::max(worst, std::abs(sums[j] - expected) / (1 + std::abs(out[17 * n + j])));
            }
            CHECK(worst < 60 * std::numeric_limits<double>::epsilon());
          }
        }
      }
    }
  }
}

TEST_CASE("byte rows are as cheap as they are, and columns fit the budget they were sized for") {
  const Index n = 500, d = 64;
  const Matrix x = images(n, d, 2);
  const Stored stored(x, d, Layout::c, ScalarType::float32);
  base::ThreadPool pool(1);
  const auto source = kernel_matrix::make_kernel_rows<float>(stored.view(), kernels_of()[1], pool);
  const bool bytes = simd::byte_ops() != nullptr;
  CHECK(source->work_per_value() == (bytes ? 64.0 / simd::byte_ops()->gain : 64.0));
  CHECK(kernel_matrix::make_kernel_rows<double>(stored.view(), kernels_of()[1], pool)->work_per_value() == 64.0);
  std::vector<Index> all(n);
  for (Index i = 0; i < n; ++i) all[i] = i;
  for (std::size_t budget = 1000; budget < 300000; budget = budget * 5 / 4) {
    CHECK(source->columns(all.data(), n, budget, pool)->bytes() <=
          std::max(budget, static_cast<std::size_t>(n) * sizeof(Index) + 8));
  }
  // A quarter of float's: 100 KB hold 500 x 64 bytes, not floats.
  CHECK((source->columns(all.data(), n, 100000, pool)->bytes() > static_cast<std::size_t>(n * d)) == bytes);
}

TEST_CASE("queries off the grid meet the points in float, row by row") {
  const Index n = 211, d = 40, m = 70;
  const Matrix x = images(n, d, 3);
  Matrix q = images(m, d, 4);
  for (const std::size_t r : {std::size_t{3}, std::size_t{4}, std::size_t{69}}) q[r][r % 40] += 0.001;
  q[20][0] = -0.25;
  q[21][39] = 3.0;
  const Matrix off = twin::random_matrix(m, d, 5);
  for (const auto& kernel : kernels_of()) {
    for (const Layout layout : {Layout::c, Layout::csr}) {
      const Stored points(x, d, layout, ScalarType::float64);
      const auto cross = kernel_matrix::make_cross_kernel<float>(points.view(), nullptr, n, kernel);
      for (const Matrix& queries : {q, off}) {
        const Stored given(queries, d, Layout::c, ScalarType::float64), csr(queries, d, Layout::csr, ScalarType::float64);
        const DataView view = simd::byte_ops() != nullptr || layout == Layout::c ? given.view() : csr.view();
        std::vector<float> out(m * n);
        std::vector<std::thread> threads;  // the first queries off the grid come from several at once
        for (Index t = 0; t < 3; ++t) {
          threads.emplace_back([&, t] {
            const Index begin = t * 30, count = std::min<Index>(30, m - begin);
            cross->block(view, begin, count, 0, n, out.data() + begin * n, n);
          });
        }
        for (auto& t : threads) t.join();
        CHECK(error(out, kernel, queries, x) < 100 * kEps);
        bool same = true;  // neither neighbours nor the piece matter
        for (Index r = 0; r < m; ++r) {
          std::vector<float> one(n - 50);
          cross->block(view, r, 1, 50, n, one.data(), n - 50);
          same = same && std::equal(one.begin(), one.end(), out.begin() + r * n + 50);
        }
        CHECK(same);
      }
    }
  }
}

TEST_CASE("near points of byte data keep their distance") {
  const Index d = 700;
  Matrix x(2, std::vector<double>(d, 200.0 / 255));
  x[1][5] = 201.0 / 255;
  x[0][0] = x[1][0] = 0;
  const Stored stored(x, d, Layout::c, ScalarType::float32);
  KernelParams kernel{KernelType::rbf, 3, 20000.0, 0};
  const auto cross = kernel_matrix::make_cross_kernel<float>(stored.view(), nullptr, 2, kernel);
  float out[4];
  cross->block(stored.view(), 0, 2, 0, 2, out, 2);
  CHECK(out[0] == 1.0F);
  if (simd::byte_ops() != nullptr) {
    CHECK(static_cast<double>(out[1]) == doctest::Approx(std::exp(-20000.0 / 65025.0)).epsilon(1e-6));
  }
}
