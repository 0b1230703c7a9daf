// Newton's method on the factors c of points w_k with decisions z_k = X w_k:
//
//   min_c 1/2 c'Gc + sum_i loss_i(sum_k c_k z_ik),  G = inner products of the w_k.
#include "linear_fit/start_between.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cholesky.hpp"
#include "linear_fit/stopping.hpp"
#include "optimise/line_search.hpp"

namespace dcsvm::linear_fit {

namespace {

class Combination {
 public:
  Combination(const Problem& problem, const std::vector<SolvedPoint>& points, base::ThreadPool& pool)
      : p_(problem), points_(points), pool_(pool), k_(static_cast<Index>(points.size())), inner_(k_ * k_, 0.0) {
    for (Index a = 0; a < k_; ++a) {
      for (Index b = 0; b <= a; ++b) {
        inner_[a * k_ + b] = inner_[b * k_ + a] = p_.regularized_product(points_[a].w, points_[b].w);
      }
    }
    for (auto* v : {&z_, &slope_, &curvature_}) v->assign(p_.rows(), 0.0);
  }

  std::vector<double> run() {
    std::vector<double> c(k_, 0.0);
    c.back() = 1.0;
    double f = objective(c);
    for (int step = 0; step < kMostRounds; ++step) {
      p_.derivatives(z_, slope_, curvature_, pool_);
      const std::vector<double> g = gradient(c), s = direction(g);
      if (s.empty()) break;
      double along = 0;
      for (Index a = 0; a < k_; ++a) along += g[a] * s[a];
      const double before = f;
      const auto moved = [&](double t) {
        std::vector<double> next(c);
        for (Index a = 0; a < k_; ++a) next[a] += t * s[a];
        return next;
      };
      const optimise::LineStep found = optimise::armijo([&](double t) { return objective(moved(t)); }, f, along, 1.0);
      c = moved(found.t);
      f = found.value;
      if (!(before - f > kPolishedGap * std::abs(f))) break;
    }
    return c;
  }

 private:
  /// Fills z_.
  double objective(const std::vector<double>& c) {
    std::fill(z_.begin(), z_.end(), 0.0);
    double norm2 = 0;
    for (Index a = 0; a < k_; ++a) {
      for (Index i = 0; i < p_.rows(); ++i) z_[i] += c[a] * points_[a].z[i];
      for (Index b = 0; b < k_; ++b) norm2 += c[a] * c[b] * inner_[a * k_ + b];
    }
    return 0.5 * norm2 + p_.losses(z_, 0.0, z_, pool_);
  }

  std::vector<double> gradient(const std::vector<double>& c) const {
    std::vector<double> g(k_, 0.0);
    for (Index a = 0; a < k_; ++a) {
      for (Index b = 0; b < k_; ++b) g[a] += inner_[a * k_ + b] * c[b];
      for (Index i = 0; i < p_.rows(); ++i) g[a] += slope_[i] * points_[a].z[i];
    }
    return g;
  }

  /// Empty: rounding leaves none.
  std::vector<double> direction(const std::vector<double>& g) {
    std::vector<double> hessian(inner_), s(k_);
    double trace = 0;
    for (Index a = 0; a < k_; ++a) {
      for (Index b = 0; b <= a; ++b) {
        double sum = 0;
        for (Index i = 0; i < p_.rows(); ++i) sum += curvature_[i] * points_[a].z[i] * points_[b].z[i];
        hessian[b * k_ + a] += sum;  // the lower triangle by columns
      }
      trace += hessian[a * k_ + a];
      s[a] = -g[a];
    }
    for (Index a = 0; a < k_; ++a) hessian[a * k_ + a] += kTiny * trace;
    if (!kernels::cholesky(hessian.data(), k_, pool_)) return {};
    kernels::solve_lower(hessian.data(), k_, s.data(), 1, [] {});
    kernels::solve_lower_transposed(hessian.data(), k_, s.data(), 1, [] {});
    return s;
  }

  const Problem& p_;
  const std::vector<SolvedPoint>& points_;
  base::ThreadPool& pool_;
  Index k_;
  std::vector<double> inner_, z_, slope_, curvature_;
};

}  // namespace

std::vector<double> best_combination(const Problem& problem, const std::vector<SolvedPoint>& points, base::ThreadPool& pool) {
  return Combination(problem, points, pool).run();
}

}  // namespace dcsvm::linear_fit
