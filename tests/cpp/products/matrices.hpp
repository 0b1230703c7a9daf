// Handmade matrices for the tests of products, and of what is solved with them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "products/matrix.hpp"

namespace dcsvm::test {

inline constexpr std::size_t kAmpleCap = std::size_t{1} << 30;

/// Values of which the share `filled` is not 0.
inline std::vector<double> random_values(Index rows, Index cols, double filled, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> x(rows * cols, 0.0);
  for (double& v : x) {
    const double drawn = random.uniform();
    if (drawn < filled) v = 2.0 * random.uniform() - 1.0;
  }
  return x;
}

struct HandmadeMatrix {
  std::vector<double> x;
  products::Matrix matrix;
  HandmadeMatrix(Index rows, Index cols, double filled, double bias, base::ThreadPool& pool)
      : x(random_values(rows, cols, filled, 5)),
        matrix(DenseView{x.data(), ScalarType::float64, rows, cols, cols, 1}, bias, kAmpleCap, pool) {}
};

/// The largest difference as a share of the largest value of b.
inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, size = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return most / size;
}

}  // namespace dcsvm::test
