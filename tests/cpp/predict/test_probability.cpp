// Platt's sigmoid against a slow twin and its own optimality, pairwise coupling against the conditions of its optimum.
#include "predict/probability.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "doctest/doctest.h"
#include "models/platt.hpp"

using namespace dcsvm;

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

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
    s.positive.push_back(random.uniform() < models::logistic(-slope * s.f.back() + shift) ? 1 : 0);
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
  std::vector<double> r(at(k * k), 0.0);
  for (Index i = 0; i < k; ++i) {
    for (Index j = i + 1; j < k; ++j) {
      r[at(i * k + j)] = least + (1 - 2 * least) * random.uniform();
      r[at(j * k + i)] = 1 - r[at(i * k + j)];
    }
  }
  return r;
}

// sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2
double mismatch(const std::vector<double>& r, Index k, const std::vector<double>& p) {
  double sum = 0;
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) {
      const double d = i == j ? 0.0 : r[at(j * k + i)] * p[at(i)] - r[at(i * k + j)] * p[at(j)];
      sum += d * d;
    }
  }
  return sum;
}

// The same minimum by Gaussian elimination on Q p + b e = 0, e'p = 1.
std::vector<double> solved(const std::vector<double>& r, Index k) {
  const Index m = k + 1;
  std::vector<std::vector<double>> a(at(m), std::vector<double>(at(m + 1), 0.0));
  for (Index t = 0; t < k; ++t) {
    for (Index j = 0; j < k; ++j) {
      if (j == t) continue;
      a[at(t)][at(t)] += r[at(j * k + t)] * r[at(j * k + t)];
      a[at(t)][at(j)] = -r[at(j * k + t)] * r[at(t * k + j)];
    }
    a[at(t)][at(k)] = a[at(k)][at(t)] = 1;
  }
  a[at(k)][at(m)] = 1;
  for (Index c = 0; c < m; ++c) {
    Index pivot = c;
    for (Index i = c; i < m; ++i) {
      if (std::abs(a[at(i)][at(c)]) > std::abs(a[at(pivot)][at(c)])) pivot = i;
    }
    std::swap(a[at(c)], a[at(pivot)]);
    for (Index i = 0; i < m; ++i) {
      if (i == c) continue;
      const double factor = a[at(i)][at(c)] / a[at(c)][at(c)];
      for (Index j = c; j <= m; ++j) a[at(i)][at(j)] -= factor * a[at(c)][at(j)];
    }
  }
  std::vector<double> p;
  p.reserve(at(k));
  for (Index t = 0; t < k; ++t) p.push_back(a[at(t)][at(m)] / a[at(t)][at(t)]);
  return p;
}

}  // namespace

TEST_CASE("sigmoid: the gradient at the fit is zero, whatever the sample") {
  for (const double slope : {0.2, 1.0, 8.0}) {
    for (const double shift : {0.0, -1.5, 4.0}) {
      const Sample s = noisy(700, slope, shift, 3);
      const auto [a, b] = models::fit_sigmoid(s.f, s.positive);
      const auto [ga, gb] = slow_gradient(s, a, b);
      CHECK(std::abs(ga) < 1e-4);
      CHECK(std::abs(gb) < 1e-4);
      if (slope >= 1.0) CHECK(a < 0);
    }
  }
}

TEST_CASE("sigmoid: one class, constant values, separable values and huge values stay finite") {
  const auto fit = [](const std::vector<double>& f, const std::vector<char>& positive) {
    const auto [a, b] = models::fit_sigmoid(f, positive);
    CHECK(std::isfinite(a));
    CHECK(std::isfinite(b));
    return std::pair(a, b);
  };
  const auto all = fit({0.5, 1, 2}, {1, 1, 1});
  CHECK(models::logistic(all.first * 1 + all.second) > 0.5);
  const auto constant = fit({0, 0, 0, 0}, {1, 0, 0, 0});  // the prior, smoothed
  CHECK(models::logistic(constant.second) == doctest::Approx((2.0 / 3 + 3 * 0.2) / 4).epsilon(1e-3));
  const auto apart = fit({-2, -1, 1, 2}, {0, 0, 1, 1});
  CHECK(models::logistic(2 * apart.first + apart.second) > 0.7);
  fit({-1e8, 1e8, 3e7, -2e5}, {0, 1, 1, 0});
}

TEST_CASE("coupling: the minimum of the pairs' mismatch") {
  base::Random random(7);
  for (const Index k : {Index{3}, Index{5}, Index{12}}) {
    for (int round = 0; round < 20; ++round) {
      const auto r = random_pairs(k, 0.02, random);
      std::vector<double> p(at(k));
      prediction::couple(r.data(), k, p.data());
      CHECK(std::accumulate(p.begin(), p.end(), 0.0) == doctest::Approx(1.0).epsilon(1e-12));
      CHECK(*std::min_element(p.begin(), p.end()) >= 0.0);
      const auto exact = solved(r, k);
      for (Index t = 0; t < k; ++t) CHECK(std::abs(p[at(t)] - exact[at(t)]) < 0.03);
      CHECK(mismatch(r, k, p) < mismatch(r, k, exact) + 0.01);
      // At the optimum (Q p)_t is the same for all t: what the stopping rule bounds.
      std::vector<double> qp(at(k), 0.0);
      double pqp = 0;
      for (Index t = 0; t < k; ++t) {
        for (Index j = 0; j < k; ++j) {
          if (j != t) qp[at(t)] += r[at(j * k + t)] * (r[at(j * k + t)] * p[at(t)] - r[at(t * k + j)] * p[at(j)]);
        }
        pqp += p[at(t)] * qp[at(t)];
      }
      for (Index t = 0; t < k; ++t) CHECK(std::abs(qp[at(t)] - pqp) < 0.005 / static_cast<double>(k) * 1.001);
    }
  }
}

TEST_CASE("coupling: pairs that agree give back the probabilities they came from") {
  const std::vector<double> wanted = {0.5, 0.2, 0.2, 0.1};
  std::vector<double> r(16, 0.0), p(4);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) r[i * 4 + j] = i == j ? 0 : wanted[i] / (wanted[i] + wanted[j]);
  }
  prediction::couple(r.data(), 4, p.data());
  for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(p[i] - wanted[i]) < 0.01);
}

TEST_CASE("probabilities: two classes, several, one-class") {
  Calibration two{{-2.0}, {0.5}, {}};
  const std::vector<double> f = {0.7, -1e4, 1e4};
  std::vector<double> out(6);
  prediction::probabilities(two, 2, f.data(), 3, out.data());
  CHECK(out[0] == doctest::Approx(1 / (1 + std::exp(-2.0 * 0.7 + 0.5))));
  CHECK(out[2] == 1e-7);
  CHECK(out[4] == 1 - 1e-7);
  for (std::size_t i = 0; i < 3; ++i) CHECK(out[2 * i] + out[2 * i + 1] == 1.0);
  Calibration marks;
  for (int i = 0; i < 10; ++i) marks.density_marks.push_back(i - 4.5);
  const std::vector<double> g = {-9, -4.5, 0, 4.4, 4.5, 9};
  std::vector<double> inside(12);
  prediction::probabilities(marks, 0, g.data(), 6, inside.data());
  const std::vector<double> wanted = {0.001, 0.1, 0.5, 0.9, 0.999, 0.999};
  for (std::size_t i = 0; i < 6; ++i) CHECK(inside[2 * i] == doctest::Approx(wanted[i]));
}

TEST_CASE("Laplace scale and density marks") {
  CHECK(models::fit_laplace({1, -1, 2, -2}) == 1.5);
  std::vector<double> outlier(100, 1.0);
  outlier.push_back(1000.0);  // beyond 5 standard deviations, sqrt(2) times the mean
  CHECK(models::fit_laplace(outlier) == 1.0);
  CHECK(models::fit_laplace({0, 0}) == 0.0);
  std::vector<double> f;
  for (int i = -50; i < 100; ++i) f.push_back(i + 0.5);
  std::reverse(f.begin(), f.end());
  const auto marks = models::density_marks(f);
  REQUIRE(marks.size() == 10);
  CHECK(std::is_sorted(marks.begin(), marks.end()));
  CHECK(marks[0] == (-49.5 + -39.5) / 2);
  CHECK(marks[4] == (-9.5 + 0) / 2);
  CHECK(marks[5] == (0 + 19.5) / 2);
  CHECK(marks[9] == (79.5 + 99.5) / 2);
  CHECK(models::density_marks({-1, -2, -3, -4, 1, 2, 3, 4, 5, 6}).empty());
}
