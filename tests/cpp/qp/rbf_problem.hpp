// A checkerboard with noise, large enough for the block path: cache, shrinking, reconstruction, eviction.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "kernel_matrix/kernel_rows.hpp"
#include "qp/matrix_rows.hpp"

namespace handmade {

struct RbfProblem {
  Index n, d;
  std::vector<double> x, q, lo, hi;
  dcsvm::KernelParams kernel;
  bool equality = true;

  RbfProblem(Index rows, Index cols, double gamma, double C, std::uint64_t seed, double noise = 0.05) : n(rows), d(cols) {
    kernel.gamma = gamma;
    Random random(seed);
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < d; ++k)
        x.push_back(static_cast<double>(static_cast<float>(k < 2 ? 4 * random.uniform() : random.uniform())));
      const auto* row = x.data() + i * d;
      const bool cell = (static_cast<int>(row[0]) + static_cast<int>(row[1])) % 2 == 0;
      const bool positive = random.uniform() < noise ? !cell : cell;
      q.push_back(positive ? 1 : -1);
      lo.push_back(positive ? 0 : -C);
      hi.push_back(positive ? C : 0);
    }
  }
  dcsvm::qp::Problem problem() const { return {n, q.data(), lo.data(), hi.data(), equality}; }
  template <class T>
  std::unique_ptr<dcsvm::kernel_matrix::RowSource<T>> rows() const {
    ThreadPool pool(1);
    return dcsvm::kernel_matrix::make_kernel_rows<T>(dcsvm::dense(x.data(), n, d), kernel, pool);
  }
  /// 0 where it is below 1e-21: certificates of local data spend their time here.
  double entry(Index i, Index j) const {
    const double *a = x.data() + i * d, *b = x.data() + j * d;
    double d2 = 0;
    for (Index k = 0; k < d && kernel.gamma * d2 < 50; ++k) d2 += (a[k] - b[k]) * (a[k] - b[k]);
    return kernel.gamma * d2 < 50 ? std::exp(-kernel.gamma * d2) : 0.0;
  }
  Measure measured(const std::vector<double>& beta) const {
    return measure(problem(), [this](Index i, Index j) { return entry(i, j); }, beta);
  }
};

}  // namespace handmade
