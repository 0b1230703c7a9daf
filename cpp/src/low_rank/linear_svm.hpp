// Dual coordinate descent for linear SVMs on rows of features held in memory.
// [1] Hsieh, Chang, Lin, Keerthi, Sundararajan: A dual coordinate descent method for large-scale linear SVM (ICML 2008).
//
//   min_w 1/2 |w|^2 + sum_i C_i loss(y_i w'x_i),  loss(m) = max(0, 1 - m) (hinge) or max(0, 1 - m)^2 (squared hinge).
//   Dual: min_a 1/2 |w|^2 + sum_i D_i a_i^2 / 2 - sum_i a_i, w = sum_i a_i y_i x_i, 0 <= a_i <= U_i;
//   hinge: U_i = C_i, D_i = 0; squared hinge: U_i = inf, D_i = 1 / (2 C_i).
//   The bias is the weight of one more feature that is 1 everywhere, so it is regularised (as b^2 / 2 in Eq. (24) of Lan et al.
//   2019).
//
// Each round computes the gradient of all variables at a fixed w (all threads). That either certifies the solution or gives the
// active set: the free and the violating variables. A few passes of coordinate descent over the active set follow, with the
// shrinking of [1]; variables that repeatedly make no step also leave it until the next round.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/thread_pool.hpp"
#include "dcsvm/low_rank.hpp"

namespace dcsvm::low_rank {

/// Which rows a binary problem has, and their signs.
struct BinaryProblem {
  int positive = 0;
  int negative = -1;  ///< -1: all other classes

  /// +1, -1, or 0: not in this problem. class_of -1: in none.
  int sign(int class_of) const {
    if (class_of < 0) return 0;
    if (class_of == positive) return 1;
    return negative < 0 || class_of == negative ? -1 : 0;
  }
};

/// Rows whose features are in memory.
struct Resident {
  const float* features = nullptr;  ///< row l at features + l * ld
  Index ld = 0, cols = 0;
  std::vector<Index> rows;  ///< their numbers in the data
  std::vector<double> norm2;  ///< |x_l|^2

  Index size() const { return static_cast<Index>(rows.size()); }
  const float* row(Index l) const { return features + l * ld; }
};
/// Fills norm2 of local rows [first, rows.size()).
void measure(Resident& resident, Index first, base::ThreadPool& pool);

struct BinaryState;
/// w'x_l + b.
double linear_decision(const Resident& resident, Index l, const BinaryState& state);

/// What the rows are to a training: one entry for each row of the data.
struct Labelled {
  const int* class_of = nullptr;  ///< -1: takes no part
  const double* C = nullptr;
};

struct BinaryState {
  BinaryProblem problem;
  std::vector<double> w;  ///< cols + 1; the last is the bias (0 without)
  std::vector<double> alpha;  ///< one for each row of the data
  std::vector<Index> changed{};  ///< rows whose alpha the last solve_linear changed, when it was asked to note them
  std::vector<double> correction{};  ///< added to w'x + b of each row of the data: what float lacks of it; empty: nothing
};

struct LinearOptions {
  LowRankLoss loss = LowRankLoss::hinge;
  bool fit_intercept = true;
  double tol = 1e-2;
  std::int64_t max_passes = 1000;  ///< over the active set
  double reduction = 0.1;  ///< a round ends when its variables' violation is below this share of its start (or tol / 2)
  int max_rounds = 1 << 30;
  std::uint64_t seed = 0;
  bool note_changes = false;  ///< fill BinaryState::changed
};

LinearOptions linear_options(const LowRankParams& params);

/// One row of a problem whose w'x + b is `decision`. Rows that take no part have neither.
struct RowState {
  double gradient = 0;  ///< of the dual, projected
  double loss = 0;      ///< C_i loss_i
  bool active = false;  ///< it violates, or is free
};
RowState row_state(const Labelled& data, const LinearOptions& options, const BinaryState& state, Index row, double decision);

struct LinearStats {
  double violation = 0;  ///< largest |projected gradient| of the final w
  double first_violation = 0;  ///< at the start
  double loss = 0;  ///< sum C_i loss_i at the end
  std::int64_t passes = 0, steps = 0;
  bool stopped = false;  ///< by the poll
};

/// Called now and then on the thread that solves, with what was done; true: stop. What it throws leaves w belonging to alpha.
using LinearPoll = std::function<bool(const LinearStats&)>;

LinearStats solve_linear(const Resident& resident, const Labelled& data, const LinearOptions& options, base::ThreadPool& pool,
                         const LinearPoll& poll, BinaryState& state);

/// 1/2 |w|^2 + sum D_i a_i^2 / 2 - sum a_i.
double dual_objective(const Labelled& data, const LinearOptions& options, const BinaryState& state);

}  // namespace dcsvm::low_rank
