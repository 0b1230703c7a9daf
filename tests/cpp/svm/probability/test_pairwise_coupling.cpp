// Platt's sigmoid against a slow twin and its own optimality, pairwise coupling against the conditions of its optimum.
#include "svm/probability/pairwise_coupling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "svm/probability/platt.hpp"

using namespace dcsvm;

namespace {

struct Sample {
  std::vector<double> f;
  std::vector<char> positive;
};

// Decision values of noisy labels: P(positive) = 1 / (1 + exp(-slope f + shift)).
Sample noisy(Index n, double slope, double shift, std::uint64_t seed) {
  base::Random random(seed);
  Sample s;
  for (Index i = 0; i < n; ++i) {
    s.f.push_back(6.0 * random.uniform() - 3.0);
    s.positive.push_back(random.uniform() < svm::logistic(-slope * s.f.back() + shift) ? 1 : 0);
  }
  return s;
}

// Gradient of the cross-entropy with the smoothed targets, written out.
std::pair<double, double> slow_gradient(const Sample& s, double a, double b) {
  double np = 0, nn = 0;
  for (const char p : s.positive) (p != 0 ? np : nn) += 1;
  double ga = 0, gb = 0;
  for (std::size_t i = 0; i < s.f.size(); ++i) {
    const double t = s.positive[i] != 0 ? (np + 1) / (np + 2) : 1 / (nn + 2);
    const double p = 1 / (1 + std::exp(a * s.f[i] + b));
    ga += (t - p) * s.f[i];
    gb += t - p;
  }
  return {ga, gb};
}

// Random r with r_ij + r_ji = 1.
std::vector<double> random_pairs(Index k, double least, base::Random& random) {
  std::vector<double> r(k * k, 0.0);
  for (Index i = 0; i < k; ++i) {
    for (Index j = i + 1; j < k; ++j) {
      r[i * k + j] = least + (1 - 2 * least) * random.uniform();
      r[j * k + i] = 1 - r[i * k + j];
    }
  }
  return r;
}

// sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2
double mismatch(const std::vector<double>& r, Index k, const std::vector<double>& p) {
  double sum = 0;
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) {
      const double d = i == j ? 0.0 : r[j * k + i] * p[i] - r[i * k + j] * p[j];
      sum += d * d;
    }
  }
  return sum;
}

// The same minimum by Gaussian elimination on Q p + b e = 0, e'p = 1.
std::vector<double> solved(const std::vector<double>& r, Index k) {
  const Index m = k + 1;
  std::vector<std::vector<double>> a(m, std::vector<double>(m + 1, 0.0));
  for (Index t = 0; t < k; ++t) {
    for (Index j = 0; j < k; ++j) {
      if (j == t) continue;
      a[t][t] += r[j * k + t] * r[j * k + t];
      a[t][j] = -r[j * k + t] * r[t * k + j];
    }
    a[t][k] = a[k][t] = 1;
  }
  a[k][m] = 1;
  for (Index c = 0; c < m; ++c) {
    Index pivot = c;
    for (Index i = c; i < m; ++i) {
      if (std::abs(a[i][c]) > std::abs(a[pivot][c])) pivot = i;
    }
    std::swap(a[c], a[pivot]);
    for (Index i = 0; i < m; ++i) {
      if (i == c) continue;
      const double factor = a[i][c] / a[c][c];
      for (Index j = c; j <= m; ++j) a[i][j] -= factor * a[c][j];
    }
  }
  std::vector<double> p;
  p.reserve(k);
  for (Index t = 0; t < k; ++t) p.push_back(a[t][m] / a[t][t]);
  return p;
}

}  // namespace

TEST_CASE("sigmoid: the gradient at the fit is zero, whatever the sample") {
  for (const double slope : {0.2, 1.0, 8.0}) {
    for (const double shift : {0.0, -1.5, 4.0}) {
      const Sample s = noisy(700, slope, shift, 3);
      const auto [a, b] = svm::fit_sigmoid(s.f, s.positive);
      const auto [ga, gb] = slow_gradient(s, a, b);
      CHECK(std::abs(ga) < 1e-4);
      CHECK(std::abs(gb) < 1e-4);
      if (slope >= 1.0) CHECK(a < 0);
    }
  }
}

TEST_CASE("sigmoid: one class, constant values, separable values and huge values stay finite") {
  const auto fit = [](const std::vector<double>& f, const std::vector<char>& positive) {
    const auto [a, b] = svm::fit_sigmoid(f, positive);
    CHECK(std::isfinite(a));
    CHECK(std::isfinite(b));
    return std::pair(a, b);
  };
  const auto all = fit({0.5, 1, 2}, {1, 1, 1});
  CHECK(svm::logistic(all.first * 1 + all.second) > 0.5);
  const auto constant = fit({0, 0, 0, 0}, {1, 0, 0, 0});  // the prior, smoothed
  CHECK(svm::logistic(constant.second) == doctest::Approx((2.0 / 3 + 3 * 0.2) / 4).epsilon(1e-3));
  const auto apart = fit({-2, -1, 1, 2}, {0, 0, 1, 1});
  CHECK(svm::logistic(2 * apart.first + apart.second) > 0.7);
  fit({-1e8, 1e8, 3e7, -2e5}, {0, 1, 1, 0});
}

TEST_CASE("coupling: the minimum of the pairs' mismatch") {
  base::Random random(7);
  for (const Index k : {Index{3}, Index{5}, Index{12}}) {
    for (int round = 0; round < 20; ++round) {
      const auto r = random_pairs(k, 0.02, random);
      std::vector<double> p(k);
      svm::couple(r.data(), k, p.data());
      CHECK(std::accumulate(p.begin(), p.end(), 0.0) == doctest::Approx(1.0).epsilon(1e-12));
      CHECK(*std::min_element(p.begin(), p.end()) >= 0.0);
      const auto exact = solved(r, k);
      for (Index t = 0; t < k; ++t) CHECK(std::abs(p[t] - exact[t]) < 0.03);
      CHECK(mismatch(r, k, p) < mismatch(r, k, exact) + 0.01);
      // At the optimum (Q p)_t is the same for all t: what the stopping rule bounds.
      std::vector<double> qp(k, 0.0);
      double pqp = 0;
      for (Index t = 0; t < k; ++t) {
        for (Index j = 0; j < k; ++j) {
          if (j != t) qp[t] += r[j * k + t] * (r[j * k + t] * p[t] - r[t * k + j] * p[j]);
        }
        pqp += p[t] * qp[t];
      }
      for (Index t = 0; t < k; ++t) CHECK(std::abs(qp[t] - pqp) < 0.005 / static_cast<double>(k) * 1.001);
    }
  }
}

TEST_CASE("coupling: pairs that agree give back the probabilities they came from") {
  const std::vector<double> wanted = {0.5, 0.2, 0.2, 0.1};
  std::vector<double> r(16, 0.0), p(4);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) r[i * 4 + j] = i == j ? 0 : wanted[i] / (wanted[i] + wanted[j]);
  }
  svm::couple(r.data(), 4, p.data());
  for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(p[i] - wanted[i]) < 0.01);
}

TEST_CASE("probabilities: two classes, several, one-class") {
  Calibration two{{-2.0}, {0.5}, {}};
  const std::vector<double> f = {0.7, -1e4, 1e4};
  std::vector<double> out(6);
  svm::probabilities(two, 2, f.data(), 3, out.data());
  CHECK(out[0] == doctest::Approx(1 / (1 + std::exp(-2.0 * 0.7 + 0.5))));
  CHECK(out[2] == 1e-7);
  CHECK(out[4] == 1 - 1e-7);
  for (std::size_t i = 0; i < 3; ++i) CHECK(out[2 * i] + out[2 * i + 1] == 1.0);
  Calibration marks;
  for (int i = 0; i < 10; ++i) marks.density_marks.push_back(i - 4.5);
  const std::vector<double> g = {-9, -4.5, 0, 4.4, 4.5, 9};
  std::vector<double> inside(12);
  svm::probabilities(marks, 0, g.data(), 6, inside.data());
  const std::vector<double> wanted = {0.001, 0.1, 0.5, 0.9, 0.999, 0.999};
  for (std::size_t i = 0; i < 6; ++i) CHECK(inside[2 * i] == doctest::Approx(wanted[i]));
}

TEST_CASE("Laplace scale and density marks") {
  CHECK(svm::fit_laplace({1, -1, 2, -2}) == 1.5);
  std::vector<double> outlier(100, 1.0);
  outlier.push_back(1000.0);  // beyond 5 standard deviations, sqrt(2) times the mean
  CHECK(svm::fit_laplace(outlier) == 1.0);
  CHECK(svm::fit_laplace({0, 0}) == 0.0);
  std::vector<double> f;
  for (int i = -50; i < 100; ++i) f.push_back(i + 0.5);
  std::reverse(f.begin(), f.end());
  const auto marks = svm::density_marks(f);
  REQUIRE(marks.size() == 10);
  CHECK(std::is_sorted(marks.begin(), marks.end()));
  CHECK(marks[0] == (-49.5 + -39.5) / 2);
  CHECK(marks[4] == (-9.5 + 0) / 2);
  CHECK(marks[5] == (0 + 19.5) / 2);
  CHECK(marks[9] == (79.5 + 99.5) / 2);
  CHECK(svm::density_marks({-1, -2, -3, -4, 1, 2, 3, 4, 5, 6}).empty());
}
