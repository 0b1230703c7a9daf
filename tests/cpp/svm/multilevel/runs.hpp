// Runs of dc_svm on small problems.
#pragma once

#include <vector>

#include "doctest/doctest.h"
#include "svm/multilevel/problem.hpp"

namespace small {

inline TrainParams params_of(int levels, bool bias) {
  TrainParams params;
  params.n_levels = levels;
  params.fit_intercept = bias;
  params.sample_size = 200;
  params.tol = 1e-3;
  return params;
}

template <class T = float>
multilevel::Result run(const Problem& p, const TrainParams& params, Call& call) {
  const auto rows = kernel_matrix::make_kernel_rows<T>(p.x.view(), p.kernel, call.pool);
  return multilevel::dc_svm(p.input(), *rows, params, call.context);
}

inline std::vector<double> kernel_of(const Problem& p) {
  base::ThreadPool serial(1);
  return points::kernel_matrix(*kernel_matrix::make_kernel_rows<double>(p.x.view(), p.kernel, serial));
}

/// Every pair's coefficients lie in their box; with a bias they sum to 0.
inline void check_feasible(const Problem& p, const std::vector<double>& coef, bool bias) {
  for (int a = 0; a < p.n_classes; ++a) {
    for (int b = a + 1; b < p.n_classes; ++b) {
      const auto beta = pair_beta(p, coef, a, b);
      for (Index i = 0; i < p.x.n; ++i) {
        const double v = p.class_of[i] == a ? beta[i] : -beta[i];
        CHECK(v >= 0.0);
        CHECK(v <= p.upper[i]);
      }
      if (bias) CHECK(std::abs(sum(beta)) < 1e-9);
    }
  }
}

}  // namespace small
