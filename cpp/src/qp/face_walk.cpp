#include "qp/face_walk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/cholesky.hpp"

namespace dcsvm::qp {

namespace {

using Vector = std::vector<double>;

class FaceWalk {
 public:
  FaceWalk(FreeVariables& free, base::ThreadPool& pool) : free_(free), n_(free.size()), pool_(pool) {}

  bool factor(double ridge) {
    for (Index i = 0; i < n_; ++i) free_.k[i * n_ + i] += ridge;
    if (!kernels::cholesky(free_.k.data(), n_, pool_)) return false;
    of_gradient_ = free_.g;
    solve(of_gradient_);
    for (std::size_t c = 0; c < free_.n_groups; ++c) {
      of_group_[c].assign(free_.g.size(), 0.0);
      for (std::size_t i = 0; i < free_.g.size(); ++i) of_group_[c][i] = free_.group[i] == c ? 1.0 : 0.0;
      solve(of_group_[c]);
    }
    return true;
  }

  /// Returns the variable whose bound ends the step; -1: the step has reached the maximum.
  Index step() {
    const std::array<double, 2> lambda = multipliers();
    Vector& d = of_gradient_;  // the rest of the way, and the part of K^-1 g that only the sums hold back
    for (std::size_t c = 0; c < free_.n_groups; ++c) {
      for (Index i = 0; i < n_; ++i) d[i] -= lambda[c] * of_group_[c][i];
    }
    double share = 1.0;
    Index first = -1;
    for (Index i = 0; i < n_; ++i) {
      const double room = d[i] > 0 ? free_.hi[i] - free_.beta[i] : free_.lo[i] - free_.beta[i];
      if (std::abs(room) < share * std::abs(d[i])) share = room / d[i], first = i;
    }
    for (Index i = 0; i < n_; ++i) {
      free_.beta[i] = std::clamp(free_.beta[i] + share * d[i], free_.lo[i], free_.hi[i]);
      d[i] *= 1.0 - share;
    }
    if (first >= 0)
      free_.beta[first] =
          free_.hi[first] - free_.beta[first] < free_.beta[first] - free_.lo[first] ? free_.hi[first] : free_.lo[first];
    return first;
  }

  /// Takes variable i out of the solutions; false: rounding has made its pivot useless.
  bool hold(Index i) {
    Vector column(free_.g.size(), 0.0);
    column[i] = 1.0;
    solve(column);
    for (const auto& [h, held] : held_) take_out(h, held, column);
    if (!(column[i] > 0)) return false;
    take_out(i, column, of_gradient_);
    for (std::size_t c = 0; c < free_.n_groups; ++c) take_out(i, column, of_group_[c]);
    held_.emplace_back(i, std::move(column));
    return true;
  }

 private:
  void solve(Vector& x) {
    const auto between = [this] { pool_.poll(); };
    kernels::solve_lower(free_.k.data(), n_, x.data(), 1, between);
    kernels::solve_lower_transposed(free_.k.data(), n_, x.data(), 1, between);
  }

  static void take_out(Index i, const Vector& column, Vector& x) {
    const double factor = x[i] / column[i];
    for (std::size_t j = 0; j < x.size(); ++j) x[j] -= factor * column[j];
    x[i] = 0.0;
  }

  double sum_of(const Vector& x, std::size_t c) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += free_.group[i] == c ? x[i] : 0.0;
    return sum;
  }

  // Of the sums, such that the step keeps them. A group without a variable that may move has none.
  std::array<double, 2> multipliers() const {
    if (free_.n_groups == 0) return {};
    const double a = sum_of(of_group_[0], 0), p = sum_of(of_gradient_, 0);
    if (free_.n_groups == 1) return {a > 0 ? p / a : 0.0, 0.0};
    const double b = sum_of(of_group_[1], 0), c = sum_of(of_group_[1], 1), r = sum_of(of_gradient_, 1);
    if (!(a > 0) || !(c > 0)) return {a > 0 ? p / a : 0.0, c > 0 ? r / c : 0.0};
    const double determinant = a * c - b * b;
    return {(p * c - r * b) / determinant, (r * a - p * b) / determinant};
  }

  FreeVariables& free_;
  Index n_;
  base::ThreadPool& pool_;
  Vector of_gradient_;               // K^-1 g over the variables that still move
  std::array<Vector, 2> of_group_;  // K^-1 of the ones of a group
  std::vector<std::pair<Index, Vector>> held_;
};

}  // namespace

Index walk_face(FreeVariables& free, double ridge, std::int64_t max_steps, base::ThreadPool& pool) {
  FaceWalk walk(free, pool);
  if (!walk.factor(ridge)) return 0;
  Index steps = 0;
  while (steps < max_steps) {
    const Index held = walk.step();
    ++steps;
    if (held < 0 || !walk.hold(held)) break;
  }
  return steps;
}

}  // namespace dcsvm::qp
