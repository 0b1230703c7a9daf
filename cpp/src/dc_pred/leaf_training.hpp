// A leaf's training (Hsieh, Si, Dhillon 2014): local exact model, landmarks, Algorithm 1.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "dc_pred/model_data.hpp"
#include "dc_pred/problem.hpp"

namespace dcsvm::dc_pred {

struct LeafOutcome {
  DcPredLeaf leaf;
  Index n_support = 0;
  double violation = 0;
  StopReason stop_reason = StopReason::converged;
};

/// Whether `members` (rows of the problem) have one class, or one target.
bool is_constant(const DcPredProblem& problem, const std::vector<Index>& members);
/// The leaf without landmarks: its heaviest class, or its mean.
DcPredLeaf constant_leaf(const DcPredProblem& problem, const std::vector<Index>& members);
/// progress: what its reports go on from.
LeafOutcome train_leaf(const DcPredProblem& problem, const DcPredParams& params, const std::vector<Index>& members,
                       base::Context& context, const Progress& progress);

}  // namespace dcsvm::dc_pred
