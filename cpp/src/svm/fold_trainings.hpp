// Folds of anything that train() trains: one training for each fold and point of a grid, on a copy of its rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "data/summary.hpp"
#include "dcsvm/folds.hpp"
#include "dcsvm/params.hpp"

namespace dcsvm::svm {

/// What the trainings cost, and the worst that was left; as in CrossValidation.
struct FoldCosts {
  std::int64_t n_iter = 0, n_kernel_values = 0, peak_cache_bytes = 0;
  Index n_unconverged = 0;
  double violation = 0;
  std::map<std::string, double> seconds;
};

/// Held-out rows of all folds for each gamma and C, as cross_validate writes them. y may be null for one_class. Each training
/// starts threads of its own while the context's pool is idle.
FoldCosts train_folds(const data::Summary& x, const double* y, const TrainParams& params, const std::vector<double>& C,
                      const std::vector<double>& gamma, const std::vector<Fold>& folds, HeldOut what, double* out,
                      const double* sample_weight, const Hooks& hooks, base::Context& context);

}  // namespace dcsvm::svm
