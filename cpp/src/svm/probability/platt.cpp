#include "svm/probability/platt.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dcsvm::svm {

namespace {

constexpr int kNewtonSteps = 100;
constexpr double kLeastStep = 1e-10;   // of the backtracking
constexpr double kRidge = 1e-12;       // added to the Hessian's diagonal
constexpr double kGradientTol = 1e-5;  // gradient at which the fit is done
constexpr std::size_t kSideMarks = 5;  // density marks on each side of 0

// The limits above are those of usual decision values, which are left as they are. Where they spread far less or more, the fit is
// of (f - shift) / 2^exponent, which spread by about 1.
struct Unit {
  double shift = 0;
  int exponent = 0;
};

Unit unit_of(const std::vector<double>& decisions) {
  constexpr double kUsualFrom = 1.0 / 32, kUsualTo = 512;  // half of the difference between the largest and the smallest
  const auto [least, most] = std::minmax_element(decisions.begin(), decisions.end());
  const double half = 0.5 * *most - 0.5 * *least, middle = 0.5 * *most + 0.5 * *least;
  if (!(half > 0) || (half >= kUsualFrom && half <= kUsualTo)) return {};
  return {std::abs(middle) > half ? middle : 0.0, std::ilogb(half)};
}

struct Fit {
  std::vector<double> f;
  std::vector<double> target;

  double loss(double a, double b) const {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double z = a * f[i] + b;
      sum += z >= 0 ? target[i] * z + std::log1p(std::exp(-z)) : (target[i] - 1.0) * z + std::log1p(std::exp(z));
    }
    return sum;
  }
};

struct Derivatives {
  double h11 = kRidge, h22 = kRidge, h21 = 0, g1 = 0, g2 = 0;
};

Derivatives derivatives(const Fit& fit, double a, double b) {
  Derivatives d;
  for (std::size_t i = 0; i < fit.f.size(); ++i) {
    const double f = fit.f[i], p = logistic(a * f + b), weight = p * (1.0 - p), error = fit.target[i] - p;
    d.h11 += f * f * weight;
    d.h22 += weight;
    d.h21 += f * weight;
    d.g1 += f * error;
    d.g2 += error;
  }
  return d;
}

}  // namespace

double logistic(double z) { return z >= 0 ? std::exp(-z) / (1.0 + std::exp(-z)) : 1.0 / (1.0 + std::exp(z)); }

std::pair<double, double> fit_sigmoid(const std::vector<double>& decisions, const std::vector<char>& positive) {
  const auto n_positive = static_cast<double>(std::count_if(positive.begin(), positive.end(), [](char p) { return p != 0; }));
  const double n_negative = static_cast<double>(positive.size()) - n_positive;
  Fit fit{decisions, {}};
  const Unit unit = unit_of(decisions);
  for (double& f : fit.f) f = std::ldexp(f - unit.shift, -unit.exponent);
  for (const char p : positive) fit.target.push_back(p != 0 ? (n_positive + 1.0) / (n_positive + 2.0) : 1.0 / (n_negative + 2.0));
  double a = 0, b = std::log((n_negative + 1.0) / (n_positive + 1.0)), loss = fit.loss(a, b);
  for (int step = 0; step < kNewtonSteps; ++step) {
    const Derivatives d = derivatives(fit, a, b);
    if (std::abs(d.g1) < kGradientTol && std::abs(d.g2) < kGradientTol) break;
    const double det = d.h11 * d.h22 - d.h21 * d.h21;
    const double da = -(d.h22 * d.g1 - d.h21 * d.g2) / det, db = -(d.h11 * d.g2 - d.h21 * d.g1) / det;
    const double slope = d.g1 * da + d.g2 * db;
    double size = 1.0;
    for (; size >= kLeastStep; size /= 2.0) {
      const double tried = fit.loss(a + size * da, b + size * db);
      if (!(tried < loss + 1e-4 * size * slope)) continue;
      a += size * da;
      b += size * db;
      loss = tried;
      break;
    }
    if (size < kLeastStep) break;  // rounding lets no step improve
  }
  a = std::ldexp(a, -unit.exponent);
  return {a, b - a * unit.shift};
}

double fit_laplace(const std::vector<double>& residuals) {
  double mean = 0;
  for (const double r : residuals) mean += std::abs(r);
  mean /= static_cast<double>(residuals.size());
  const double limit = 5.0 * std::sqrt(2.0 * mean * mean);
  double sum = 0, count = 0;
  for (const double r : residuals) {
    if (std::abs(r) > limit) continue;
    sum += std::abs(r);
    count += 1.0;
  }
  return sum / count;
}

std::vector<double> density_marks(std::vector<double> decisions) {
  std::sort(decisions.begin(), decisions.end());
  const auto outside = static_cast<std::size_t>(std::lower_bound(decisions.begin(), decisions.end(), 0.0) - decisions.begin());
  const std::size_t inside = decisions.size() - outside;
  if (outside < kSideMarks || inside < kSideMarks) return {};
  std::vector<double> edges;
  edges.reserve(2 * kSideMarks + 1);
  for (std::size_t i = 0; i < kSideMarks; ++i) edges.push_back(decisions[i * outside / kSideMarks]);
  edges.push_back(0.0);
  for (std::size_t i = 1; i <= kSideMarks; ++i) edges.push_back(decisions[outside - 1 + i * inside / kSideMarks]);
  std::vector<double> marks;
  marks.reserve(edges.size() - 1);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) marks.push_back((edges[i] + edges[i + 1]) / 2.0);
  return marks;
}

}  // namespace dcsvm::svm
