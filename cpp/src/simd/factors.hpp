// Products of factors, one for each feature, several products side by side: what explains a sum of products feature by feature.
#pragma once

#include "simd/ops.hpp"

namespace dcsvm::simd {

/// Products that FactorOps take at once: element l of product l's feature k is at [k * kProducts + l].
constexpr Index kProducts = 8;

struct FactorOps {
  /// z[t] = exp(z[t]) - 1 for t in [0, n), z <= 0, n a multiple of kProducts. The relative error is some epsilons also near 0.
  void (*exp_minus_one)(double* z, Index n);
  /// out[k][l] = e[k][l] sum_q weights[q] prod_{i != k} (1 + nodes[q] e[i][l]) for k in [0, m), -1 <= e <= 0, nodes in (0, 1).
  /// scratch: m * kFactorScratch. Without divisions: all products are of numbers in (0, 1].
  void (*quadrature)(const double* e, Index m, const double* nodes, const double* weights, Index n_nodes, double* scratch,
                     double* out);
};

/// The table of the instruction set in use.
const FactorOps& factor_ops();

constexpr Index kFactorScratch = 4 * kProducts;

}  // namespace dcsvm::simd
