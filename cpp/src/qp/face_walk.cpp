#include "qp/face_walk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/thread_pool.hpp"
#include "kernels/cholesky.hpp"

namespace dcsvm::qp {

namespace {

using Vector = std::vector<double>;

constexpr int kRefinements = 3;  // of the step, so that it keeps the sums

struct Stopped {};  // thrown by a poll

class FaceWalk {
 public:
  FaceWalk(FreeVariables& free, base::ThreadPool& pool)
      : free_(free), n_(free.size()), pool_(pool), moves_(free.g.size(), 1), direction_(free.g) {}

  bool factor(double ridge) {
    for (Index i = 0; i < n_; ++i) at(i, i) += ridge;
    if (!kernels::cholesky(free_.k.data(), n_, pool_)) return false;
    solve(direction_);
    for (std::size_t c = 0; c < free_.n_groups; ++c) {
      for (const std::uint8_t g : free_.group) of_group_[c].push_back(g == c ? 1.0 : 0.0);
      solve(of_group_[c]);
    }
    return true;
  }

  /// Returns the variable whose bound ends the step; -1: the step has reached the maximum.
  Index step() {
    Vector& d = direction_;
    for (int refinement = 0; refinement < kRefinements; ++refinement) keep_sums();
    spread_rest_of_sums();
    double share = 1.0;
    Index first = -1;
    for (Index i = 0; i < n_; ++i) {
      const double room = d[i] > 0 ? free_.hi[i] - free_.beta[i] : free_.lo[i] - free_.beta[i];
      if (std::abs(room) < share * std::abs(d[i])) share = room / d[i], first = i;
    }
    const bool up = first >= 0 && d[first] > 0;
    for (Index i = 0; i < n_; ++i) {
      free_.beta[i] = std::clamp(free_.beta[i] + share * d[i], free_.lo[i], free_.hi[i]);
      d[i] *= 1.0 - share;
    }
    if (first >= 0) free_.beta[first] = up ? free_.hi[first] : free_.lo[first];
    return first;
  }

  /// Takes variable i out of the factor and of its solutions; false: rounding has made its pivot useless.
  bool fix_at_bound(Index i) {
    Vector column(free_.g.size(), 0.0);
    column[i] = 1.0;
    solve(column);
    if (!(column[i] > 0)) return false;
    moves_[i] = 0;
    take_out(i, column, direction_);
    for (std::size_t c = 0; c < free_.n_groups; ++c) take_out(i, column, of_group_[c]);
    remove(i);
    return true;
  }

 private:
  double& at(Index row, Index column) { return free_.k[column * n_ + row]; }

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

  // Takes from the step what changes the sums. Where K is nearly singular these are differences of large numbers.
  void keep_sums() {
    if (free_.n_groups == 0) return;
    remove_sum(direction_, of_group_[0], 0);
    if (free_.n_groups == 1) return;
    remove_sum(of_group_[1], of_group_[0], 0);
    remove_sum(direction_, of_group_[1], 1);
  }
  // Of group c, along v.
  void remove_sum(Vector& x, const Vector& v, std::size_t c) const {
    const double whole = sum_of(v, c);
    if (!(whole > 0)) return;  // no variable of this group may move
    const double factor = sum_of(x, c) / whole;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= factor * v[i];
  }

  // What rounding has left of the sums.
  void spread_rest_of_sums() {
    for (std::size_t c = 0; c < free_.n_groups; ++c) {
      double count = 0;
      for (Index i = 0; i < n_; ++i) count += moves_[i] != 0 && free_.group[i] == c ? 1.0 : 0.0;
      const double part = count > 0 ? sum_of(direction_, c) / count : 0.0;
      for (Index i = 0; i < n_; ++i) direction_[i] -= moves_[i] != 0 && free_.group[i] == c ? part : 0.0;
    }
  }

  // Row and column i become those of the identity. With l below the diagonal of column i, the factor of what comes after is that
  // of L L' + l l'.
  void remove(Index i) {
    Vector l(free_.g.size(), 0.0);
    for (Index r = i + 1; r < n_; ++r) l[r] = std::exchange(at(r, i), 0.0);
    for (Index c = 0; c < i; ++c) at(i, c) = 0.0;
    at(i, i) = 1.0;
    for (Index c = i + 1; c < n_; ++c) {
      double* column = &at(0, c);
      const double diagonal = std::hypot(column[c], l[c]), grown = diagonal / column[c], share = l[c] / column[c];
      column[c] = diagonal;
      for (Index r = c + 1; r < n_; ++r) {
        column[r] = (column[r] + share * l[r]) / grown;
        l[r] = grown * l[r] - share * column[r];
      }
    }
  }

  FreeVariables& free_;
  Index n_;
  base::ThreadPool& pool_;
  std::vector<std::uint8_t> moves_;  // 0: stays at its bound
  Vector direction_;                 // to the maximum over the variables that move
  std::array<Vector, 2> of_group_;   // K^-1 of the ones of a group
};

}  // namespace

Index walk_face(FreeVariables& free, double ridge, std::int64_t max_steps, const std::function<bool()>& asks_to_stop) {
  base::ThreadPool serial(1, [&asks_to_stop] {
    if (asks_to_stop()) throw Stopped();
  });
  Index steps = 0;
  try {
    FaceWalk walk(free, serial);
    if (!walk.factor(ridge)) return 0;
    while (steps < max_steps) {
      const Index at_bound = walk.step();  // without a poll: beta never has half of a step
      ++steps;
      if (at_bound < 0 || !walk.fix_at_bound(at_bound)) break;
    }
  } catch (const Stopped&) {
  }
  return steps;
}

}  // namespace dcsvm::qp
