// Data for the tests of linear models: two noisy classes over sparse rows, some of them empty or doubled.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "dcsvm/data.hpp"
#include "dcsvm/linear.hpp"
#include "dcsvm/parameters.hpp"

namespace dcsvm::test {

struct Sample {
  Index n, d;
  std::vector<double> x;  // dense, C order; multiples of 1/8, so that float holds them too
  std::vector<float> x32;
  std::vector<double> y, target;
  std::vector<double> values;
  std::vector<float> values32;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> indices64, indptr{0};

  Sample(Index rows, Index cols, int classes, double density, std::uint64_t seed) : n(rows), d(cols), x(rows * cols, 0.0) {
    base::Random random(seed);
    for (Index i = 0; i < n; ++i) {
      const int c = static_cast<int>(random.below(classes));
      const Index filled = i % 29 == 28 ? 0 : d;
      double sum = 0;
      for (Index j = 0; j < filled; ++j) {
        if (random.uniform() >= density) continue;
        const double shift = j % classes == c ? 0.75 : 0.0;
        const double v = shift + static_cast<double>(random.below(17) - 8) / 8.0;
        x[i * d + j] = v;
        sum += v * (j % 3 == 0 ? 1.0 : -0.5);
      }
      if (i % 31 == 30) {
        for (Index j = 0; j < d; ++j) x[i * d + j] = x[(i - 1) * d + j];
      }
      y.push_back(random.uniform() < 0.05 ? static_cast<double>(random.below(classes)) : c);
      target.push_back(sum + random.uniform() - 0.5);
    }
    x32.assign(x.begin(), x.end());
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < d; ++j) {
        if (x[i * d + j] == 0) continue;
        values.push_back(x[i * d + j]);
        values32.push_back(x32[i * d + j]);
        indices.push_back(static_cast<std::int32_t>(j));
        indices64.push_back(j);
      }
      indptr.push_back(static_cast<std::int64_t>(values.size()));
    }
  }

  DataView dense64() const { return dense(x.data(), n, d); }
  DataView dense32() const { return dense(x32.data(), n, d); }
  DataView csr() const {
    return CsrView{values.data(), ScalarType::float64, indices.data(), indptr.data(), IndexType::int32, IndexType::int64, n, d};
  }
  DataView csr32_wide() const {
    return CsrView{
        values32.data(), ScalarType::float32, indices64.data(), indptr.data(), IndexType::int64, IndexType::int64, n, d};
  }
};

inline const std::vector<LinearSolver> kSolvers = [] {
  std::vector<LinearSolver> all;
  for (std::size_t i = 0; i < number_of_values<LinearSolver>(); ++i) all.push_back(static_cast<LinearSolver>(i));
  return all;
}();

inline LinearParams params_of(LinearSolver solver, double tol = 1e-6) {
  LinearParams p;
  p.solver = solver;
  p.tol = tol;
  p.max_iter = 100000;
  p.n_threads = 1;
  p.bias = solver == LinearSolver::one_class ? -1.0 : 1.0;
  return p;
}

inline const double* labels(const Sample& s, LinearSolver solver) { return is_regression(solver) ? s.target.data() : s.y.data(); }

}  // namespace dcsvm::test
