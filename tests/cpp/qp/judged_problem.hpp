// A problem whose gradients are written out, and float values that are wrong by what a test says: what certificates judge.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "doctest/doctest.h"
#include "qp/judge.hpp"
#include "qp/matrix_rows.hpp"
#include "qp/outcome.hpp"

namespace handmade {

using dcsvm::kernels::Rounding;

inline constexpr double kUnit = 0x1p-20;  // the error of a value

// A problem of two classes in which a third of the variables is 0, a third at a bound and a third free, near its solution: the
// gradients are at random within +-kSpan.
inline constexpr double kSpan = 1e-3;
struct JudgedProblem {
  using Fn = std::function<double(Index, Index)>;
  explicit JudgedProblem(Index size, Index n_heavy = 0) : n(size) {
    Random random(7);
    for (Index i = 0; i < n; ++i) {
      place.push_back(30.0 * random.uniform());
      const double y = i % 2 == 0 ? 1 : -1, size_of = (i < n_heavy ? 1e6 : 1.0) * (1.0 + random.uniform());
      const double upper = i % 3 == 2 ? size_of : 2 * size_of;
      beta.push_back(i % 3 == 0 ? 0.0 : y * size_of);
      lo.push_back(y > 0 ? 0.0 : -upper);
      hi.push_back(y > 0 ? upper : 0.0);
    }
    q.assign(n, 0.0);
    const std::vector<double> minus = gradient([this](Index i, Index j) { return exact(i, j); });
    for (Index i = 0; i < n; ++i) q[i] = kSpan * (2 * random.uniform() - 1) - minus[i];
  }
  dcsvm::qp::Problem problem() const { return {n, q.data(), lo.data(), hi.data(), true}; }
  double exact(Index i, Index j) const { return std::exp(-(place[i] - place[j]) * (place[i] - place[j])); }
  std::vector<double> gradient(const Fn& k) const { return gradient(k, beta); }
  std::vector<double> gradient(const Fn& k, const std::vector<double>& b) const {
    std::vector<double> g = q;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) g[i] -= b[j] != 0.0 ? k(i, j) * b[j] : 0.0;
    }
    return g;
  }
  std::vector<double> true_gradient() const {
    return gradient([this](Index i, Index j) { return exact(i, j); });
  }
  /// Errors of row i's values, each at most kUnit, that make its gradient larger by `amount` than float values tell.
  std::vector<double> errors_that_hide(Index i, double amount) const {
    std::vector<double> errors(static_cast<std::size_t>(n), 0.0);
    for (Index j = 0; j < n; ++j) {
      if (j == i || beta[j] == 0.0) continue;
      const double share = std::clamp(amount, -kUnit * std::abs(beta[j]), kUnit * std::abs(beta[j]));
      errors[j] = share / beta[j];
      amount -= share;
    }
    REQUIRE(amount == 0.0);
    return errors;
  }
  double violation(const std::vector<double>& g) const {
    return dcsvm::qp::bounds_of(problem(), beta.data(), g.data()).violation(true);
  }
  /// L deviation |b|_2, written out, of the coefficients from `first` on.
  double bound(Index first = 0) const {
    const double square = std::inner_product(beta.begin() + first, beta.end(), beta.begin() + first, 0.0);
    return kUnit * std::sqrt(square) * std::sqrt(2 * std::log(2e12 * static_cast<double>(n)));
  }

  Index n;
  std::vector<double> place, q, lo, hi, beta;
};

// +-kUnit, at random but the same for the same pair.
inline double random_sign(Index i, Index j) {
  std::uint64_t h =
      static_cast<std::uint64_t>(std::min(i, j)) * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(std::max(i, j));
  h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 29)) * 0x94d049bb133111ebULL;
  return ((h ^ (h >> 32)) & 1) != 0 ? kUnit : -kUnit;
}

inline Rounding rounding_of_units() {
  Rounding r;
  r.typical = r.largest = r.deviation = kUnit;
  r.shared_norm = 0;
  return r;
}

// Float values K + error, which know that they come from K.
struct RoundedRows {
  RoundedRows(const JudgedProblem& p, const JudgedProblem::Fn& error)
      : exact([&p](Index i, Index j) { return p.exact(i, j); }),
        given([&p, error](Index i, Index j) { return p.exact(i, j) + error(i, j); }),
        twin(std::make_shared<FunctionRows<double>>(p.n, exact)),
        rows(p.n, given) {
    rows.set_exact(twin, rounding_of_units());
  }
  JudgedProblem::Fn exact, given;
  std::shared_ptr<FunctionRows<double>> twin;
  FunctionRows<float> rows;
};

struct JudgeOutcome {
  std::vector<double> g;
  dcsvm::qp::Result result;
  std::int64_t n_exact = 0;  // values in double
};

// What the judge makes of the gradient that float values K + error lead to.
// base: coefficients whose gradient was formed in double.
inline JudgeOutcome judged(const JudgedProblem& p, const JudgedProblem::Fn& error, double tol, bool wants_objective = true,
                           const std::vector<double>* base = nullptr) {
  const RoundedRows both(p, error);
  const auto& [exact, given, twin, rows] = both;
  Call call;
  JudgeOutcome out;
  out.g = p.gradient(given);
  for (Index i = 0; base != nullptr && i < p.n; ++i) {
    for (Index j = 0; j < p.n; ++j) out.g[i] += error(i, j) * (*base)[j];
  }
  out.result.violation = p.violation(out.g);
  const dcsvm::qp::Problem problem = p.problem();
  dcsvm::qp::Origins origins;
  if (base != nullptr) {
    origins.known[0].beta = *base;
    origins.known[0].gradient = p.gradient(exact, *base);
  }
  dcsvm::qp::Judged said(problem, p.beta.data(), out.g.data(), rows.rounding(), call.context, out.result, {}, origins);
  said.judge(rows, *twin, tol, wants_objective, out.result);
  out.result.violation = dcsvm::qp::bounds_of(problem, p.beta.data(), out.g.data()).violation(true);
  out.n_exact = twin->n_values();
  return out;
}

}  // namespace handmade
