// Rows that lie on byte grids of their own: the same kernel as the values themselves give.
#include "kernel_matrix/scaled_rows.hpp"

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "simd/bytes.hpp"
#include "svm/model/twin.hpp"

using namespace dcsvm;
using twin::Layout;
using twin::Matrix;
using twin::Stored;

namespace {

/// Images less their means, of norm 1, rounded to float as transformers leave them. Some are dark, one is blank.
Matrix normalised(Index n, Index d) {
  base::Random random(3);
  Matrix x(static_cast<std::size_t>(n), std::vector<double>(d));
  for (std::size_t r = 0; r < x.size(); ++r) {
    const Index levels = r % 3 == 0 ? 256 : 2 + random.below(250);
    double sum = 0, square = 0;
    for (auto& v : x[r]) {
      v = static_cast<double>(r == 5 || random.uniform() < 0.4 ? 0 : random.below(levels)) / 255.0;
      sum += v;
    }
    for (auto& v : x[r]) {
      v = static_cast<double>(static_cast<float>(v - sum / static_cast<double>(d)));
      square += v * v;
    }
    for (auto& v : x[r]) v = static_cast<double>(static_cast<float>(square > 0 ? v / std::sqrt(square) : 0.0));
  }
  return x;
}

const KernelParams kPoly{KernelType::poly, 4, 1.0, 0.5};

}  // namespace

TEST_CASE("scaled rows: kernel values, diagonal and subsets as from the values, whatever the threads") {
  const Index n = 203, d = 117;
  const Matrix x = normalised(n, d);
  const Stored stored(x, d, Layout::c, ScalarType::float32);
  std::vector<Index> idx;
  for (Index i = 0; i < n; ++i) idx.push_back(i * 7 % n);
  for (const KernelParams& kernel :
       {kPoly, KernelParams{KernelType::linear, 1, 1.0, 0.0}, KernelParams{KernelType::sigmoid, 1, 0.5, 0.1}}) {
    base::ThreadPool serial(1), pool(3);
    const auto rows = kernel_matrix::make_scaled_rows(stored.view(), kernel, pool);
    REQUIRE((rows != nullptr) == (simd::byte_ops() != nullptr));
    if (!rows) return;
    const auto columns = rows->columns(idx.data(), n, 1 << 24, pool);
    std::vector<float> one(n * n), three(static_cast<std::size_t>(n * n));
    columns->block(idx.data(), n, one.data(), n, serial);
    columns->block(idx.data(), n, three.data(), n, pool);
    CHECK(one == three);
    double worst = 0;
    for (Index r = 0; r < n; ++r) {
      for (Index j = 0; j < n; ++j) {
        const double truth = twin::kernel(kernel, x[idx[r]], x[idx[j]]);
        worst = std::max(worst, std::abs(static_cast<double>(one[r * n + j]) - truth));
      }
      CHECK(rows->diagonal(idx[r]) == doctest::Approx(one[r * n + r]).epsilon(1e-6));
    }
    CHECK(worst <
          (kernel.type == KernelType::poly ? 4 * std::pow(1.5, 3) : 1.0) * 5e-7);  // the map's slope times float's rounding
    CHECK(rows->n_values() == 2 * n * n);
  }
}

TEST_CASE("scaled rows: not for other data and other kernels") {
  base::ThreadPool pool(2);
  const auto make = [&](const Matrix& x, const KernelParams& kernel, Layout layout = Layout::c) {
    const Stored stored(x, static_cast<Index>(x[0].size()), layout, ScalarType::float32);
    return kernel_matrix::make_scaled_rows(stored.view(), kernel, pool) != nullptr;
  };
  const Matrix x = normalised(60, 40);
  CHECK(make(x, kPoly) == (simd::byte_ops() != nullptr));
  CHECK(!make(x, {KernelType::rbf, 1, 1.0, 0.0}));
  CHECK(!make(x, kPoly, Layout::csr));
  CHECK(!make(twin::random_matrix(60, 40, 1), kPoly));
  Matrix off = x;
  off[59][3] += 1e-4;  // one value of the last row
  CHECK(!make(off, kPoly));
  CHECK(!make(Matrix(10, std::vector<double>{0, 1, 255}), kPoly));  // all rows share a grid
  CHECK(!make(Matrix(10, std::vector<double>{0.1, 3e30, 1e30}), kPoly));
}
