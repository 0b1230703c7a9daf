// The solver alone: matrices made by hand behind a RowSource, certificates written out, and a slow solver to compare with.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/context.hpp"
#include "base/random.hpp"
#include "kernel_matrix/row_source.hpp"
#include "qp/solver.hpp"

namespace handmade {

using dcsvm::Index;
using dcsvm::base::Random;
using dcsvm::base::ThreadPool;

/// K given by a function of (i, j), rounded to T; no kernels, no data.
template <class T>
class FunctionRows final : public dcsvm::kernel_matrix::RowSource<T> {
 public:
  using Fn = std::function<double(Index, Index)>;
  FunctionRows(Index n, Fn fn, Index grain = 64) : n_(n), fn_(std::move(fn)), grain_(grain) {}
  Index size() const override { return n_; }
  T diagonal(Index i) const override { return static_cast<T>(fn_(i, i)); }
  std::unique_ptr<dcsvm::kernel_matrix::Columns<T>> columns(const Index* idx, Index n, std::size_t, ThreadPool&) const override {
    return std::make_unique<Cols>(*this, idx, n);
  }
  std::int64_t n_values() const override { return n_values_; }
  dcsvm::kernels::Rounding rounding() const override {
    return rounding_ ? *rounding_ : dcsvm::kernel_matrix::RowSource<T>::rounding();
  }
  std::shared_ptr<const dcsvm::kernel_matrix::RowSource<double>> in_double(ThreadPool&) const override { return exact_; }
  /// The matrix without its errors, and what is known of these.
  void set_exact(std::shared_ptr<const dcsvm::kernel_matrix::RowSource<double>> rows, dcsvm::kernels::Rounding rounding) {
    exact_ = std::move(rows);
    rounding_ = rounding;
  }

 private:
  struct Prepared final : dcsvm::kernel_matrix::PreparedRows<T> {
    Prepared(const FunctionRows& source_rows, const std::vector<Index>& columns_idx, const Index* r, Index m)
        : source(source_rows), idx(columns_idx), rows(r, r + m) {}
    void compute(Index begin, Index end, T* const* out) const override {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (Index j = begin; j < end; ++j) out[r][j - begin] = static_cast<T>(source.fn_(rows[r], idx[j]));
      }
      source.n_values_ += static_cast<Index>(rows.size()) * (end - begin);
    }
    const FunctionRows& source;
    const std::vector<Index>& idx;
    std::vector<Index> rows;
  };
  struct Cols final : dcsvm::kernel_matrix::Columns<T> {
    Cols(const FunctionRows& s, const Index* i, Index n) : source(s), idx(i, i + n) {}
    Index size() const override { return static_cast<Index>(idx.size()); }
    Index grain() const override { return source.grain_; }
    std::size_t bytes() const override { return idx.size() * sizeof(Index); }
    std::unique_ptr<dcsvm::kernel_matrix::PreparedRows<T>> prepare(const Index* rows, Index m,
                                                                   dcsvm::base::ThreadPool&) const override {
      return std::make_unique<Prepared>(source, idx, rows, m);
    }
    const FunctionRows& source;
    std::vector<Index> idx;
  };

  Index n_;
  Fn fn_;
  Index grain_;
  mutable std::atomic<std::int64_t> n_values_{0};
  std::shared_ptr<const dcsvm::kernel_matrix::RowSource<double>> exact_;
  std::optional<dcsvm::kernels::Rounding> rounding_;
};

/// A problem with its own memory. K row-major, n x n.
struct Qp {
  Index n = 0;
  std::vector<double> k, q, lo, hi;
  bool equality = true;
  std::vector<std::uint8_t> group;  // empty: one

  dcsvm::qp::Problem problem() const {
    return {n, q.data(), lo.data(), hi.data(), equality, group.empty() ? nullptr : group.data()};
  }
  double entry(Index i, Index j) const { return k[i * n + j]; }
  /// K as T sees it.
  template <class T>
  void round_to() {
    for (auto& v : k) v = static_cast<double>(static_cast<T>(v));
  }
  template <class T>
  FunctionRows<T> rows() const {
    return FunctionRows<T>(n, [this](Index i, Index j) { return entry(i, j); });
  }
};

/// A random problem: K = A A' with A n x rank, labels' signs in q and boxes as C-SVC has them, some variables fixed.
inline Qp random_qp(Index n, Index rank, bool equality, double C, std::uint64_t seed) {
  Random random(seed);
  Qp p;
  p.n = n;
  p.equality = equality;
  std::vector<double> a(n * rank);
  for (auto& v : a) v = 2 * random.uniform() - 1;
  p.k.resize(n * n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double sum = 0;
      for (Index r = 0; r < rank; ++r) sum += a[i * rank + r] * a[j * rank + r];
      p.k[i * n + j] = sum / static_cast<double>(rank);
    }
  }
  for (Index i = 0; i < n; ++i) {
    const bool positive = random.uniform() < 0.5;
    const double upper = C * (0.2 + random.uniform());
    p.q.push_back(positive ? 1 : -1);
    p.lo.push_back(positive ? 0 : -upper);
    p.hi.push_back(positive ? upper : 0);
  }
  return p;
}

struct Measure {
  double violation, objective, sum;  // sum: of all variables
  bool feasible;
};

/// Everything from scratch, entry(i, j) being K.
inline Measure measure(const dcsvm::qp::Problem& p, const std::function<double(Index, Index)>& entry,
                       const std::vector<double>& beta) {
  double up[2] = {-HUGE_VAL, -HUGE_VAL}, low[2] = {HUGE_VAL, HUGE_VAL}, f = 0, sum = 0;
  bool feasible = true;
  std::vector<Index> support;
  for (Index i = 0; i < p.n; ++i) {
    if (beta[i] != 0.0) support.push_back(i);
  }
  for (Index i = 0; i < p.n; ++i) {
    const double b = beta[i];
    double g = p.q[i];
    for (const Index j : support) g -= entry(i, j) * beta[j];
    feasible = feasible && b >= p.lo[i] && b <= p.hi[i];
    const int c = p.group != nullptr ? p.group[i] : 0;
    if (b < p.hi[i]) up[c] = std::max(up[c], g);
    if (b > p.lo[i]) low[c] = std::min(low[c], g);
    f -= 0.5 * b * (g + p.q[i]);
    sum += b;
  }
  return {p.equality ? std::max({0.0, up[0] - low[0], up[1] - low[1]}) : std::max({up[0], -low[0], 0.0}), f, sum, feasible};
}
inline Measure measure(const Qp& p, const std::vector<double>& beta) {
  return measure(p.problem(), [&](Index i, Index j) { return p.entry(i, j); }, beta);
}

/// First-order SMO (or coordinate ascent without equality) with everything recomputed plainly: slow and obvious.
inline std::vector<double> slow_solve(const Qp& p, std::vector<double> beta, double tol) {
  std::vector<double> g(p.n);
  for (Index i = 0; i < p.n; ++i) {
    g[i] = p.q[i];
    for (Index j = 0; j < p.n; ++j) g[i] -= p.entry(i, j) * beta[j];
  }
  const auto move = [&](Index i, double step) {
    beta[i] = std::clamp(beta[i] + step, p.lo[i], p.hi[i]);
    for (Index t = 0; t < p.n; ++t) g[t] -= step * p.entry(t, i);
  };
  for (int step = 0; step < 5000000; ++step) {
    Index up = -1, low = -1;
    for (std::uint8_t c = 0; c < 2; ++c) {  // the group whose pair violates more
      Index u = -1, l = -1;
      for (Index i = 0; i < p.n; ++i) {
        if ((p.group.empty() ? 0 : p.group[i]) != c) continue;
        if (beta[i] < p.hi[i] && (u < 0 || g[i] > g[u])) u = i;
        if (beta[i] > p.lo[i] && (l < 0 || g[i] < g[l])) l = i;
      }
      const bool pair = u >= 0 && l >= 0;
      if (c == 0 || (pair && (up < 0 || low < 0 || g[u] - g[l] > g[up] - g[low]))) up = u, low = l;
    }
    if (p.equality) {
      if (up < 0 || low < 0 || g[up] - g[low] < tol) break;
      const double quad = std::max(1e-12, p.entry(up, up) + p.entry(low, low) - 2 * p.entry(up, low));
      const double s = std::min({(g[up] - g[low]) / quad, p.hi[up] - beta[up], beta[low] - p.lo[low]});
      move(up, s);
      move(low, -s);
    } else {
      const double a = up < 0 ? 0 : std::max(0.0, g[up]), b = low < 0 ? 0 : std::max(0.0, -g[low]);
      if (std::max(a, b) < tol) break;
      const Index i = a >= b ? up : low;
      const double wanted = g[i] / std::max(1e-12, p.entry(i, i));
      move(i, std::clamp(wanted, p.lo[i] - beta[i], p.hi[i] - beta[i]));
    }
  }
  return beta;
}

struct Call {
  ThreadPool pool;
  dcsvm::base::Context context;
  explicit Call(int threads = 1, std::size_t cap = std::size_t{64} << 20, std::function<void()> poll = {})
      : pool(threads, std::move(poll)) {
    context.pool = &pool;
    context.cap_bytes = cap;
  }
};

template <class T>
dcsvm::qp::Result solve(const Qp& p, std::vector<double>& beta, double tol, bool shrinking = true, std::int64_t max_iter = -1,
                        std::vector<double>* gradient = nullptr) {
  Call call;
  const auto rows = p.rows<T>();
  const auto problem = p.problem();
  if (gradient != nullptr) gradient->assign(p.n, 0.0);
  return dcsvm::qp::solve<T>(rows, problem, {tol, max_iter, shrinking}, beta.data(),
                             gradient != nullptr ? gradient->data() : nullptr, call.context);
}

}  // namespace handmade
