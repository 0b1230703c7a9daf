#include "low_rank/llsvm2.hpp"

#include <cmath>

#include "base/random.hpp"
#include "doctest/doctest.h"

using namespace dcsvm;

TEST_CASE("laplacian_diagonal is half the weighted sum of squared differences over all ordered pairs (Eq. 17)") {
  base::Random random(1);
  const Index n = 40, cols = 6;
  for (const double a : {0.0, 0.2, 1.5}) {
    std::vector<double> f;
    std::vector<int> c;
    for (Index i = 0; i < n * cols; ++i) f.push_back(random.uniform() - 0.4);
    for (Index i = 0; i < n; ++i) c.push_back(static_cast<int>(random.below(3)));
    const auto diagonal = low_rank::laplacian_diagonal(f, cols, c, 3, a);
    for (Index j = 0; j < cols; ++j) {
      double sum = 0;
      for (Index p = 0; p < n; ++p) {
        for (Index q = 0; q < n; ++q) {
          const double weight = c[p] == c[q] ? 1.0 : -a;
          sum += 0.5 * weight * std::pow(f[p * cols + j] - f[q * cols + j], 2);
        }
      }
      CHECK(diagonal[j] == doctest::Approx(sum).epsilon(1e-10));
    }
  }
}

TEST_CASE("supervised_spectrum minimises c'mu + lambda |mu - mu_0|^2 over mu >= 0 (Eq. 19)") {
  const std::vector<double> eigenvalues{5, 2, 0.5}, c{0.1, -3, 40};
  for (const double lambda : {0.01, 1.0, 100.0}) {
    const auto mu = low_rank::supervised_spectrum(eigenvalues, c, lambda);
    for (std::size_t i = 0; i < mu.size(); ++i) {
      CHECK(mu[i] >= 0);
      const double gradient = c[i] + 2 * lambda * (mu[i] - 1 / eigenvalues[i]);
      if (mu[i] > 0) {
        CHECK(std::abs(gradient) < 1e-9 * (1 + std::abs(c[i])));
      } else {
        CHECK(gradient >= 0);
      }
    }
  }
  const auto far = low_rank::supervised_spectrum(eigenvalues, c, 1e12);
  for (std::size_t i = 0; i < far.size(); ++i) CHECK(far[i] == doctest::Approx(1 / eigenvalues[i]));
}
