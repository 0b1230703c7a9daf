// Products of factors, against loops in long double.
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "simd/factors.hpp"

using dcsvm::base::Random;
using namespace dcsvm::simd;

TEST_CASE("exp(z) - 1 keeps its digits near 0 and beyond the smallest exponential") {
  std::vector<double> z;
  for (double size = 1e-300; size < 1e4; size *= 3.7) z.push_back(-size);
  z.insert(z.end(), {0.0, -0.0, -INFINITY, -1e300});
  while (z.size() % kProducts != 0) z.push_back(-1.0);
  std::vector<double> found = z;
  factor_ops().exp_minus_one(found.data(), static_cast<Index>(found.size()));
  for (std::size_t t = 0; t < z.size(); ++t) {
    CAPTURE(z[t]);
    const auto expected = static_cast<double>(std::expm1(static_cast<long double>(z[t])));
    CHECK(std::abs(found[t] - expected) <= 4e-16 * std::abs(expected));
  }
}

TEST_CASE("quadrature: each product without one of its factors") {
  Random random(1);
  for (const Index m : {0, 1, 2, 3, 17}) {
    for (const Index n_nodes : {1, 2, 3, 4, 7, 12}) {
      std::vector<double> e(m * kProducts), nodes(n_nodes), weights(n_nodes), out(m * kProducts + 1, 7.0);
      std::vector<double> scratch(m * kFactorScratch + 1, 7.0);
      for (double& v : e) v = -random.uniform();
      if (m > 1) e[0] = 0.0, e[kProducts] = -1.0;
      for (double& v : nodes) v = random.uniform();
      for (double& v : weights) v = random.uniform();
      factor_ops().quadrature(e.data(), m, nodes.data(), weights.data(), n_nodes, scratch.data(), out.data());
      CHECK(out[m * kProducts] == 7.0);
      CHECK(scratch[m * kFactorScratch] == 7.0);
      for (Index k = 0; k < m; ++k) {
        for (Index l = 0; l < kProducts; ++l) {
          long double sum = 0;
          for (Index q = 0; q < n_nodes; ++q) {
            long double product = weights[q];
            for (Index i = 0; i < m; ++i) {
              if (i != k) product *= 1.0L + static_cast<long double>(nodes[q]) * e[i * kProducts + l];
            }
            sum += product;
          }
          CHECK(out[k * kProducts + l] == doctest::Approx(static_cast<double>(sum * e[k * kProducts + l])).epsilon(1e-13));
        }
      }
    }
  }
}
