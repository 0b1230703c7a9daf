// The variables that are not shrunk, in compact arrays, and what is needed to update the gradients of the others.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernel_matrix/row_source.hpp"
#include "qp/solver.hpp"

namespace dcsvm::qp {

/// Violation of a set: M = max_up g, m = min_low g (infinite when the set is empty).
struct Bounds {
  double up;   ///< -inf when no variable may grow
  double low;  ///< +inf when none may fall
  /// A variable with the gradient `g` joins the set.
  void see(double g, bool in_up, bool in_low) {
    if (in_up) up = std::max(up, g);
    if (in_low) low = std::min(low, g);
  }
  /// The KKT violation: max(M - m, 0) with equality, max(M, -m, 0) without.
  double violation(bool equality) const;
};

/// The bounds of each group; those of an absent group are empty.
struct GroupBounds {
  std::array<Bounds, 2> of;
  double violation(bool equality) const { return std::max(of[0].violation(equality), of[1].violation(equality)); }
  void merge(const GroupBounds& other);
};
constexpr GroupBounds kNoBounds{{Bounds{-HUGE_VAL, HUGE_VAL}, Bounds{-HUGE_VAL, HUGE_VAL}}};

template <class T>
class ActiveSet {
 public:
  /// All variables of a problem: nothing is left of the one before, but memory. beta and gradient are full-length; gradient must
  /// be q - K beta.
  void begin(const kernel_matrix::RowSource<T>& source, const Problem& problem, double* beta, double* gradient);

  Index size() const { return static_cast<Index>(idx.size()); }
  bool everything() const { return size() == problem_->n; }
  bool in_up(Index p) const { return beta[p] < hi[p]; }
  bool in_low(Index p) const { return beta[p] > lo[p]; }
  std::size_t group_of(Index p) const { return group.empty() ? 0 : group[p]; }

  /// Positions to keep when variables that cannot form a violating pair with the rest are dropped (LIBSVM's rule):
  /// at lo with g < m, or at hi with g > M of their group. Fixed variables (lo = hi) go too.
  std::vector<Index> unshrinkable(const GroupBounds& bounds) const;
  /// Positions that may grow and have g >= centre[group] - band, or may fall and have g <= centre[group] + band.
  std::vector<Index> within(const std::array<double, 2>& centre, double band) const;
  /// Drops all positions but keep.
  void shrink(const std::vector<Index>& keep);
  /// Writes beta and g to the full arrays.
  void write_back();
  /// Writes beta and g to the full arrays and brings the gradient of every shrunk variable up to date. Returns the largest
  /// sum of |changes of beta| that went into one of them.
  double reconstruct(std::size_t budget, base::ThreadPool& pool) { return reconstruct(0, budget, pool); }
  /// Makes all variables active again; call reconstruct before.
  void activate_all();

  /// Drops all positions but keep, which are the base until activate_all(). What is dropped later can return to the base without
  /// the gradients of what is dropped now, which are reconstructed once at the end.
  void shrink_to_base(const std::vector<Index>& keep);
  bool has_base() const { return base_ > 0; }
  /// Brings the base's gradients up to date and makes it active again.
  void return_to_base(std::size_t budget, base::ThreadPool& pool);

  GroupBounds bounds() const { return bounds(0, size()); }
  /// Of positions [begin, end).
  GroupBounds bounds(Index begin, Index end) const;

  std::vector<Index> idx;  ///< variable of each position, ascending
  std::vector<double> beta, g, lo, hi;
  std::vector<std::uint8_t> group;  ///< empty: all 0

 private:
  void load();
  double reconstruct(std::size_t first, std::size_t budget, base::ThreadPool& pool);

  // Variables shrunk by one event, and beta as it was then: their gradients are exact for that beta.
  struct Event {
    std::vector<Index> dropped;
    std::vector<Index> active;
    std::vector<double> beta;
  };

  const kernel_matrix::RowSource<T>* source_ = nullptr;
  const Problem* problem_ = nullptr;
  double* full_beta_ = nullptr;
  double* full_g_ = nullptr;
  std::vector<Event> events_;
  std::size_t base_ = 0;  // events of which the last left the base active; 0: there is none
};

}  // namespace dcsvm::qp
