// F7: what training gives each leaf of a DC-Pred++ model, and a leaf's training: local exact model, landmarks, Algorithm 1.
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/random.hpp"
#include "data/dense_rows.hpp"
#include "dc_pred/model_data.hpp"
#include "dcsvm/dc_pred.hpp"

namespace dcsvm::dc_pred {

/// Rows that take part, moved by their mean, as float; and what they are to learn.
struct DcPredProblem {
  std::vector<double> classes;  // empty: a regression
  std::vector<int> class_of;    // of all rows of x; -1: takes no part; regression: else 0
  std::vector<Index> taking;    // rows of x
  std::vector<double> upper;    // of `taking`: C_i; regression: 1 / (2 lambda_i)
  std::vector<double> targets;  // of `taking`; regression only
  KernelParams kernel;
  std::vector<float> shift;
  base::Buffer<float> values, norms;
  data::DenseRows rows;  // row i is x's row taking[i]

  bool regression() const { return classes.empty(); }
  int class_at(Index i) const { return class_of[taking[i]]; }
};

struct LeafOutcome {
  DcPredLeaf leaf;
  Index n_support = 0;
  double violation = 0;
  StopReason stop_reason = StopReason::converged;
};

/// Whether `members` (rows of problem.rows) have one class, or one target.
bool is_constant(const DcPredProblem& problem, const std::vector<Index>& members);
/// The leaf without landmarks: its heaviest class, or its mean.
DcPredLeaf constant_leaf(const DcPredProblem& problem, const std::vector<Index>& members);
LeafOutcome train_leaf(const DcPredProblem& problem, const DcPredParams& params, const std::vector<Index>& members,
                       base::Context& context);

}  // namespace dcsvm::dc_pred
