// What a DC-Pred++ training learns from: the caller's rows as float, and their targets and bounds.
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "data/dense_rows.hpp"
#include "dcsvm/dc_pred.hpp"

namespace dcsvm::dc_pred {

/// Rows of weight > 0, moved by their mean, as float.
struct DcPredProblem {
  std::vector<double> classes;  ///< ascending; empty: a regression
  std::vector<Index> used;      ///< row i here is row used[i] of the caller's x
  std::vector<int> class_of;    ///< of each row here; regression: 0
  std::vector<double> upper;    ///< C_i; regression: 1 / (2 lambda_i)
  std::vector<double> targets;  ///< regression only
  KernelParams kernel;          ///< gamma resolved
  std::vector<float> shift;     ///< what was subtracted from each row
  base::Buffer<float> values, norms;
  data::DenseRows rows;

  bool regression() const { return classes.empty(); }
};

/// C_i = C times class and sample weight. Regression: C_i = w_i / (2 alpha), so that 1/2 w'w + sum C_i (y_i - f_i)^2 is kernel
/// ridge regression. Throws DataError, ParameterError, CapError.
DcPredProblem make_problem(const DataView& x, const double* y, const DcPredParams& params, const double* sample_weight,
                           bool regression, const base::Context& context);

}  // namespace dcsvm::dc_pred
