#include "svm/explanation/gauss_rules.hpp"

#include <algorithm>
#include <cmath>

namespace dcsvm::svm {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kError = 2e-16;  // of an integral of values up to 1: below the rounding of the sums that follow

/// P_n and its derivative at x in (-1, 1), by the recurrence (k + 1) P_{k+1} = (2k + 1) x P_k - k P_{k-1}.
struct Legendre {
  Legendre(Index n, double x) {
    double before = 0.0;
    value = 1.0;
    for (Index k = 0; k < n; ++k) {
      const auto of = static_cast<double>(k);
      const double next = ((2.0 * of + 1.0) * x * value - of * before) / (of + 1.0);
      before = value;
      value = next;
    }
    slope = static_cast<double>(n) * (x * value - before) / (x * x - 1.0);
  }
  double value, slope;
};

GaussRule rule_of(Index n) {
  GaussRule rule;
  for (Index q = 0; q < n; ++q) {
    double x = -std::cos(kPi * (static_cast<double>(q) + 0.75) / (static_cast<double>(n) + 0.5));
    for (int step = 0; step < 5; ++step) {  // Newton's method from this start has all digits after three or four
      const Legendre at(n, x);
      x -= at.value / at.slope;
    }
    const double slope = Legendre(n, x).slope;
    rule.nodes.push_back(0.5 * (1.0 + x));
    rule.weights.push_back(1.0 / ((1.0 - x * x) * slope * slope));
  }
  return rule;
}

/// How many factors, at most `wanted`.
Index degree_of(const GaussRule& rule, Index wanted) {
  const auto n = static_cast<Index>(rule.nodes.size());
  std::vector<double> power(rule.nodes.size());
  for (std::size_t q = 0; q < power.size(); ++q) power[q] = std::pow(1.0 - rule.nodes[q], static_cast<double>(2 * n));
  Index degree = 2 * n - 1;
  for (; degree < wanted; ++degree) {
    double sum = 0.0;
    for (std::size_t q = 0; q < power.size(); ++q) {
      sum += rule.weights[q] * power[q];
      power[q] *= 1.0 - rule.nodes[q];
    }
    if (std::abs(sum - 1.0 / (static_cast<double>(degree) + 2.0)) > kError) break;
  }
  return degree;
}

}  // namespace

const GaussRule& GaussRules::for_factors(Index factors) {
  const auto enough = [](const GaussRule& rule, Index wanted) { return rule.degree < wanted; };
  while (rules_.empty() || rules_.back().degree < factors) {
    const Index n = rules_.empty() ? 0 : static_cast<Index>(rules_.back().nodes.size());
    GaussRule rule = rule_of(n + 1 + n / 8);
    rule.degree = degree_of(rule, std::max(2 * factors, Index{64}));
    rules_.push_back(std::move(rule));
  }
  return *std::lower_bound(rules_.begin(), rules_.end(), factors, enough);
}

}  // namespace dcsvm::svm
