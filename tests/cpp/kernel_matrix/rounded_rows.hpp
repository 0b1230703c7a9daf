// Rows whose kernel values are rounded in different ways, and how far these are from values in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "base/thread_pool.hpp"
#include "dcsvm/data.hpp"
#include "kernel_matrix/row_source.hpp"
#include "kernel_twin.hpp"

namespace rounded_rows {

using namespace dcsvm;

/// rounded_bytes, far_bytes: bytes times 1/255, and times 0.01 from 20 on, as float has rounded them.
enum class Rows { normal, offset, bits, bytes, rounded_bytes, far_bytes, near_levels, near_duplicates, wide_range, constant };

inline std::vector<double> points(Rows kind, Index n, Index d, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> x(n * d);
  for (double& v : x) {
    v = -6.0;
    for (int t = 0; t < 12; ++t) v += random.uniform();  // nearly normal
  }
  for (Index i = 0; i < n * d; ++i) {
    if (kind == Rows::offset) x[i] += 100.0;
    if (kind == Rows::bytes) x[i] = std::floor(std::abs(60.0 * x[i]));
    if (kind == Rows::bits) x[i] = x[i] > 0.0 ? static_cast<double>(0.1F) : 0.0;
    const double level = std::min(255.0, std::floor(std::abs(90.0 * x[i])));
    if (kind == Rows::rounded_bytes) x[i] = static_cast<float>(level / 255);
    if (kind == Rows::far_bytes) x[i] = static_cast<float>(20.0 + 0.01 * level);
    if (kind == Rows::near_levels) x[i] = 1.3 + 0x1p-33 * level;  // which double rounds, too
    if (kind == Rows::wide_range) x[i] = std::exp(1.5 * x[i]);
    if (kind == Rows::constant) x[i] = x[i - i % d];
    if (kind == Rows::near_duplicates && i >= 20 * d) x[i] = x[i % (20 * d)] + 1e-3 * x[i];
  }
  return x;
}

/// The rows as sparse ones of more columns than are expanded.
struct Sparse {
  static constexpr Index kColumns = 1500;
  std::vector<double> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> indptr{0};
  Sparse(const std::vector<double>& x, Index n, Index d) {
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < d; ++k) {
        if (x[i * d + k] == 0.0) continue;
        values.push_back(x[i * d + k]);
        indices.push_back(static_cast<std::int32_t>(k * (kColumns / d)));
      }
      indptr.push_back(static_cast<std::int64_t>(values.size()));
    }
  }
  DataView view() const {
    return CsrView{values.data(),
                   ScalarType::float64,
                   indices.data(),
                   indptr.data(),
                   IndexType::int32,
                   IndexType::int64,
                   static_cast<Index>(indptr.size()) - 1,
                   kColumns};
  }
};

inline long double exact_value(const KernelParams& kernel, const double* a, const double* b, Index d) {
  return kernel_twin::value(kernel, a, b, d);
}

/// Of all kernel values, against those in long double.
template <class T>
double largest_error(const kernel_matrix::RowSource<T>& rows, const std::vector<double>& x, Index d, const KernelParams& kernel) {
  const Index n = rows.size();
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<T> k(n * n);
  rows.columns(all.data(), n, std::size_t{1} << 30, base::ThreadPool::serial())
      ->block(all.data(), n, k.data(), n, base::ThreadPool::serial());
  double largest = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const long double exact = exact_value(kernel, x.data() + i * d, x.data() + j * d, d);
      for (const T value : {k[i * n + j], k[j * n + i]})
        largest = std::max(largest, static_cast<double>(std::abs(value - exact)));
    }
  }
  return largest;
}

/// The most that a value is off.
inline double at_most(const kernels::Rounding& r) { return r.largest + r.shared + r.of_row_largest; }

}  // namespace rounded_rows
