// Small training problems for the tests of the public interface.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "dcsvm/dcsvm.hpp"

namespace training {

using dcsvm::Index;

struct Data {
  Index n = 0, d = 0;
  std::vector<double> x, y;
  dcsvm::DataView view() const { return dcsvm::dense(x.data(), n, d); }
  /// The rows named, in that order.
  Data rows(const std::vector<Index>& idx) const {
    Data out;
    out.n = static_cast<Index>(idx.size());
    out.d = d;
    for (const Index i : idx) {
      out.x.insert(out.x.end(), x.begin() + i * d, x.begin() + (i + 1) * d);
      out.y.push_back(y[i]);
    }
    return out;
  }
};

/// Overlapping blobs, one per class, labels 10, 11, ...; shuffled.
inline Data blobs(Index n, Index d, int classes, std::uint64_t seed, double overlap = 1.0) {
  dcsvm::base::Random random(seed);
  Data data;
  data.n = n;
  data.d = d;
  for (Index i = 0; i < n; ++i) {
    const auto c = static_cast<int>(i < classes ? i : random.below(classes));
    for (Index k = 0; k < d; ++k) {
      const double centre = (c + k) % classes == 0 ? 1.5 : static_cast<double>((c * 7 + k * 3) % 5) / 4.0;
      const double v = centre + overlap * (random.uniform() + random.uniform() - 1.0);
      data.x.push_back(static_cast<double>(static_cast<float>(v)));
    }
    data.y.push_back(10.0 + c);
  }
  return data;
}

/// A checkerboard of 4 x 4 cells with some labels wrong: many support vectors.
inline Data checkerboard(Index n, std::uint64_t seed, double noise = 0.05) {
  dcsvm::base::Random random(seed);
  Data data;
  data.n = n;
  data.d = 2;
  for (Index i = 0; i < n; ++i) {
    const double a = 4 * random.uniform(), b = 4 * random.uniform();
    data.x.push_back(a);
    data.x.push_back(b);
    const bool cell = (static_cast<int>(a) + static_cast<int>(b)) % 2 == 0;
    data.y.push_back((random.uniform() < noise) != cell ? 1 : -1);
  }
  return data;
}

inline dcsvm::TrainParams rbf(double gamma, double C) {
  dcsvm::TrainParams p;
  p.kernel.gamma = gamma;
  p.gamma_rule = dcsvm::GammaRule::value;
  p.C = C;
  p.solver = dcsvm::SolverType::smo;
  p.n_threads = 2;
  p.cache_size = 100;
  return p;
}

inline dcsvm::Model train(const Data& data, const dcsvm::TrainParams& params, const dcsvm::TrainInputs& inputs = {},
                          const dcsvm::Hooks& hooks = {}) {
  return dcsvm::train(data.view(), data.y.data(), params, inputs, hooks);
}

inline std::vector<double> decisions(const dcsvm::Model& model, const dcsvm::DataView& x) {
  std::vector<double> out(dcsvm::rows_of(x) * dcsvm::decision_columns(model));
  dcsvm::decision_function(model, x, out.data());
  return out;
}

/// exp(-gamma |a - b|^2), and 0 where it is below 1e-21: certificates of local data spend their time here.
inline double rbf_value(double gamma, const double* a, const double* b, Index d) {
  double d2 = 0;
  for (Index k = 0; k < d && gamma * d2 < 50; ++k) d2 += (a[k] - b[k]) * (a[k] - b[k]);
  return gamma * d2 < 50 ? std::exp(-gamma * d2) : 0.0;
}

inline double kernel(const dcsvm::KernelParams& p, const double* a, const double* b, Index d) {
  if (p.type == dcsvm::KernelType::rbf) return rbf_value(p.gamma, a, b, d);
  double inner = 0;
  for (Index k = 0; k < d; ++k) inner += a[k] * b[k];
  if (p.type == dcsvm::KernelType::poly) return std::pow(p.gamma * inner + p.coef0, p.degree);
  return p.type == dcsvm::KernelType::sigmoid ? std::tanh(p.gamma * inner + p.coef0) : inner;
}

/// Certificate of one pair (a, b) of a model from its alpha alone: feasibility, KKT violation, objective, and the decision's
/// error.
struct Certificate {
  bool feasible = true;
  double violation = 0, objective = 0, balance = 0;
};
/// upper: C_i. pair: its row in alpha. Labels first (+1) and second (-1).
inline Certificate certify(const Data& data, const dcsvm::Model& model, Index pair, double first, double second,
                           const std::vector<double>& upper, bool bias) {
  const auto alpha = model.alpha();
  Certificate c;
  std::vector<double> beta(data.n, 0.0);
  std::vector<Index> support;
  for (Index i = 0; i < data.n; ++i) {
    const double a = alpha[pair * data.n + i], y = data.y[i];
    c.feasible = c.feasible && a >= 0 && a <= upper[i] * (1 + 1e-12) && (a == 0 || y == first || y == second);
    beta[i] = y == first ? a : -a;
    c.balance += beta[i];
    if (a != 0) support.push_back(i);
  }
  const auto params = model.kernel();
  double up = -HUGE_VAL, low = HUGE_VAL;
  for (Index i = 0; i < data.n; ++i) {
    const double y = data.y[i];
    if ((y != first && y != second) || upper[i] == 0) continue;
    const double sign = y == first ? 1 : -1;
    double g = sign;
    for (const Index j : support) g -= beta[j] * kernel(params, data.x.data() + i * data.d, data.x.data() + j * data.d, data.d);
    const double lo = sign > 0 ? 0 : -upper[i], hi = sign > 0 ? upper[i] : 0;
    if (beta[i] < hi) up = std::max(up, g);
    if (beta[i] > lo) low = std::min(low, g);
    c.objective -= 0.5 * beta[i] * (g + sign);
  }
  c.violation = bias ? std::max(0.0, up - low) : std::max({up, -low, 0.0});
  return c;
}

template <class Error, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace training
