// One pair of classes in online learning: process and reprocess of Bordes et al. (2005), section 3.2.
//
// beta_i = y_i alpha_i in the box [lo_i, hi_i] with sum beta = 0, as in qp/solver.hpp, over the rows of a working set; g = y - K
// beta is kept for these rows. up = {beta_i < hi_i}, low = {beta_i > lo_i}; a pair (i, j) of up x low with g_i - g_j > tau
// violates.
#pragma once

#include <cstdint>
#include <vector>

#include "svm/online/online_rows.hpp"

namespace dcsvm::online {

/// The rows' classes and upper bounds of alpha, which all pairs share.
struct Labelled {
  const std::vector<int>& class_of;
  const double* upper;
};

template <class T>
class OnlinePair {
 public:
  /// first, second: its classes; labels are +1 for the first. beta, gradient, working: n entries each, its state.
  OnlinePair(int first, int second, const Labelled& data, OnlineRows<T>& rows, double tau, double* beta, double* gradient,
             std::uint8_t* working);

  /// Adds row k, which is not in the working set yet, and takes one step with it.
  void process(Index k);
  /// One step with the two rows that violate most. Then rows with beta = 0 that violate with no other row leave the working
  /// set; they are added to `left`, which must be empty.
  void reprocess(std::vector<Index>& left);
  /// Removes row r from the working set, if it is in it; other rows take over its beta.
  void forget(Index r);
  /// Computes the gradient of the working set from beta, with at most `budget` bytes of kernel values at once.
  void compute_gradient(std::size_t budget, base::ThreadPool& pool);

  double beta(Index i) const { return beta_[i]; }
  int first() const { return first_; }
  int second() const { return second_; }

  /// b of the decision value sum beta K + b; while only one class has rows, that class's label.
  double bias() const;
  double violation() const;
  double objective() const;
  std::int64_t steps() const { return steps_; }
  const std::vector<Index>& members() const { return members_; }
  double bound(Index i) const { return data_.upper[i]; }

 private:
  struct Extremes {
    Index up = -1, low = -1;  // rows of the largest g in up and the smallest in low
  };
  double label(Index i) const { return data_.class_of[i] == first_ ? 1.0 : -1.0; }
  double lo(Index i) const { return label(i) > 0 ? 0.0 : -data_.upper[i]; }
  double hi(Index i) const { return label(i) > 0 ? data_.upper[i] : 0.0; }
  Extremes extremes() const;
  bool violates(Index up, Index low) const { return up >= 0 && low >= 0 && gradient_[up] - gradient_[low] > tau_; }
  double curvature(Index i, Index j, const T* row_i) const;
  void step(Index up, Index low);
  void move(Index up, Index low, double t);
  void release(Index i);

  int first_, second_;
  Labelled data_;
  OnlineRows<T>& rows_;
  double tau_;
  double *beta_, *gradient_;
  std::uint8_t* working_;
  std::vector<Index> members_;
  std::int64_t steps_ = 0;
};

}  // namespace dcsvm::online
