// One model with the numbers of leaves and landmarks that the parameters say (Algorithm 2), from centres or from support vectors.
#pragma once

#include <vector>

#include "dcsvm/dc_pred.hpp"

namespace dcsvm::dc_pred {

/// On rows with targets and weights (or null). exact: whose support vectors become landmarks; null: landmarks are centres.
/// most_cost: of the model that they make, or 0.
DcPredModel learn(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight, bool regression,
                  const Hooks& hooks, const Model* exact = nullptr, double most_cost = 0);

/// The exact model of such rows, for their classes.
Model exact_svm(const DataView& x, const double* y, const double* sample_weight, const DcPredParams& params, const Hooks& hooks);

/// What an exact model predicts for rows.
std::vector<double> answers(const Model& model, const DataView& x, const DcPredParams& params, const Hooks& hooks);

/// The model whose leaves sum over support vectors of `exact`, which predicts y. most_cost 0: as many as params say.
DcPredModel expand(const Model& exact, const DataView& x, const double* y, const DcPredParams& params, const Hooks& hooks,
                   double most_cost);

}  // namespace dcsvm::dc_pred
