// Small problems, and the dual's objective and certificate written out, for the multilevel tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "clustering/points.hpp"
#include "kernel_matrix/kernel_rows.hpp"
#include "svm/multilevel/dc_svm.hpp"
#include "svm/multilevel/level.hpp"

namespace small {

using namespace dcsvm;
using points::Call;

struct Problem {
  points::Points x;
  std::vector<int> class_of;
  std::vector<double> upper;
  KernelParams kernel;
  int n_classes = 2;

  /// As make_problem would make it. Refers to this object.
  svm::TrainingProblem input() const {
    svm::TrainingProblem in;
    summary = data::Summary(x.view());
    in.x = &summary;
    in.n = x.n;
    in.kernel = kernel;
    in.class_of = class_of;
    in.upper = upper;
    for (int c = 0; c < n_classes; ++c) in.classes.push_back(c);
    for (Index i = 0; i < x.n; ++i) {
      if (upper[i] == 0.0) in.class_of[i] = -1;
    }
    return in;
  }
  mutable data::Summary summary = DataView();
};

/// Blobs whose points' classes depend on the blob, with 10 % of the labels wrong.
inline Problem make(Index n, int n_classes, double gamma, double C, std::uint64_t seed, double spread = 1.2) {
  Problem p;
  p.x = points::blobs(n, 4, 24, spread, seed);
  p.n_classes = n_classes;
  p.kernel.gamma = gamma;
  p.upper.assign(n, C);
  base::Random random(seed + 1);
  for (Index i = 0; i < n; ++i) {
    p.class_of.push_back(random.uniform() < 0.1 ? static_cast<int>(random.below(n_classes)) : p.x.blob[i] % n_classes);
  }
  return p;
}

/// beta of every point in pair (a, b); 0 outside.
inline std::vector<double> pair_beta(const Problem& p, const std::vector<double>& coef, int a, int b) {
  std::vector<double> beta(p.x.n, 0.0);
  for (Index i = 0; i < p.x.n; ++i) {
    const int own = p.class_of[i];
    if (own == a) beta[i] = coef[(b - 1) * p.x.n + i];
    if (own == b) beta[i] = coef[a * p.x.n + i];
  }
  return beta;
}

inline double sum(const std::vector<double>& v) {
  double s = 0.0;
  for (const double e : v) s += e;
  return s;
}

/// f = 1/2 b'Kb - sum |b| of a pair, with K's entries between clusters left out when cluster_of is given.
template <class A>
double objective(const std::vector<double>& k, const std::vector<double>& beta, const A* cluster_of) {
  const std::size_t n = beta.size();
  double f = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    f -= std::abs(beta[i]);
    for (std::size_t j = 0; j < n && beta[i] != 0.0; ++j) {
      if (cluster_of == nullptr || (*cluster_of)[i] == (*cluster_of)[j]) f += 0.5 * beta[i] * beta[j] * k[i * n + j];
    }
  }
  return f;
}
inline double objective(const std::vector<double>& k, const std::vector<double>& beta) {
  return objective<std::vector<int>>(k, beta, nullptr);
}

/// Maximal KKT violation of the pair (a, b) for K within clusters (all of K when cluster_of is null); infeasible: infinity.
template <class A>
double violation(const Problem& p, const std::vector<double>& k, const std::vector<double>& beta, int a, int b, bool bias,
                 const A* cluster_of) {
  const std::size_t n = beta.size();
  double up = -1e300, low = 1e300;
  for (std::size_t i = 0; i < n; ++i) {
    const int own = p.class_of[i];
    if (own != a && own != b) continue;
    const double lo = own == a ? 0.0 : -p.upper[i], hi = own == a ? p.upper[i] : 0.0;
    if (beta[i] < lo || beta[i] > hi) return HUGE_VAL;
    double g = own == a ? 1.0 : -1.0;
    for (std::size_t j = 0; j < n; ++j) {
      if (beta[j] != 0.0 && (cluster_of == nullptr || (*cluster_of)[i] == (*cluster_of)[j])) g -= k[i * n + j] * beta[j];
    }
    if (beta[i] < hi) up = std::max(up, g);
    if (beta[i] > lo) low = std::min(low, g);
  }
  if (bias && std::abs(sum(beta)) > 1e-9) return HUGE_VAL;
  return bias ? up - low : std::max({up, -low, 0.0});
}
template <class A>
double violation(const Problem& p, const std::vector<double>& k, const std::vector<double>& beta, bool bias,
                 const A* cluster_of) {
  return violation(p, k, beta, 0, 1, bias, cluster_of);
}

/// Solves every cluster of a given partition from zero.
inline std::vector<double> solve_clusters(const Problem& p, const std::vector<std::int32_t>& cluster_of, Index clusters,
                                          multilevel::BiasMode mode, double tol, multilevel::LevelOutcome* outcome = nullptr) {
  Call call;
  const auto rows = kernel_matrix::make_kernel_rows<double>(p.x.view(), p.kernel, call.pool);
  TrainParams params;
  multilevel::LevelRequest request;
  request.cluster_of = &cluster_of;
  request.clusters = clusters;
  request.mode = mode;
  request.tol = tol;
  request.rounds = 40;
  request.bias_tol = tol;
  std::vector<multilevel::BiasSearch> searches(p.n_classes * (p.n_classes - 1) / 2);
  std::vector<double> coef((p.n_classes - 1) * p.x.n, 0.0);
  auto out = multilevel::solve_level(p.input(), *rows, request, params, searches, coef, call.context, Progress{});
  if (outcome != nullptr) *outcome = std::move(out);
  return coef;
}

/// The whole problem's solution.
inline std::vector<double> solve_whole(const Problem& p, bool bias, double tol) {
  return solve_clusters(p, std::vector<std::int32_t>(p.x.n, 0), 1, bias ? multilevel::BiasMode::own : multilevel::BiasMode::none,
                        tol);
}

inline std::vector<std::int32_t> random_partition(Index n, Index clusters, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<std::int32_t> cluster_of;
  for (Index i = 0; i < n; ++i) cluster_of.push_back(static_cast<std::int32_t>(random.below(clusters)));
  return cluster_of;
}

struct Found {
  double precision, recall;
};
inline Found compare_support(const std::vector<double>& found, const std::vector<double>& truth) {
  double both = 0, a = 0, b = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    both += found[i] != 0.0 && truth[i] != 0.0;
    a += found[i] != 0.0;
    b += truth[i] != 0.0;
  }
  return {both / a, both / b};
}

}  // namespace small
