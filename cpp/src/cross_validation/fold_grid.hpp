// Cross-validated C-SVC and nu-SVC over a grid, with kernel rows shared by the folds and C values of a gamma.
#pragma once

#include "base/context.hpp"
#include "data/summary.hpp"
#include "dcsvm/cross_validate.hpp"

namespace dcsvm::cross_validation {

/// cross_validate for exact C-SVC and nu-SVC; everything was checked. grid.C: not empty.
CrossValidation run_fold_grid(const data::Summary& x, const double* y, const TrainParams& params, const Grid& grid,
                              const std::vector<Fold>& folds, HeldOut what, double* out, const double* sample_weight,
                              base::Context& context);

}  // namespace dcsvm::cross_validation
