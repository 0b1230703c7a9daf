// Trainings on one copy of X: one for train_linear, one for each fold of a cross-validation.
#pragma once

#include <memory>
#include <utility>

#include "base/call.hpp"
#include "base/context.hpp"
#include "linear/labels.hpp"
#include "linear/model_data.hpp"
#include "linear_fit/problem.hpp"
#include "products/columns.hpp"
#include "products/matrix.hpp"

namespace dcsvm::linear {

using linear_fit::Path;
using linear_fit::Problem;
using linear_fit::Solution;
using linear_fit::SolveOptions;
using products::Matrix;

/// Returns x. Throws DataError, with row and column, for values that cannot be trained on; CapError for too many columns.
DataView checked(const DataView& x, const double* y, const LinearParams& params, const LinearInputs& inputs,
                 const base::Context& context);

struct TrainingData {
  /// Checks x, targets and weights. Throws DataError, CapError.
  TrainingData(const DataView& view, const double* targets, const LinearParams& params, const LinearInputs& inputs,
               base::Context& context);

  /// Checked data that is already a matrix, for solvers without |w|_1.
  TrainingData(std::unique_ptr<const Matrix> checked, const double* targets)
      : y(targets), matrix(std::move(checked)), x(*matrix) {}

  const double* y;  ///< of the caller
  std::unique_ptr<const Matrix> matrix;
  const Matrix& x;                         ///< *matrix
  std::unique_ptr<const Matrix> compact;   ///< a smaller copy, perhaps rounded, for the solvers' passes; null: they read x
  std::unique_ptr<products::Columns> columns;  ///< for the solvers with |w|_1
  const Matrix& solver_x() const { return compact ? *compact : x; }
  std::size_t bytes() const { return x.bytes() + (compact ? compact->bytes() : 0) + (columns ? columns->bytes() : 0); }
};

/// The labels of a classifier; empty for other solvers.
LinearLabels labels_for(const TrainingData& data, const LinearParams& params, const LinearInputs& inputs);

/// The model, without the seconds, bytes and threads of its report. Rows of sample weight 0 take no part. inputs.classes is not
/// read: `labels` has them. paths: null, or one for each vector of weights, from which Newton's method
/// goes on; the report then need not say more than the primal objective.
LinearData train_on(const TrainingData& data, const LinearParams& params, const LinearInputs& inputs, LinearLabels labels,
                    base::Context& context, std::vector<Path>* paths = nullptr);

/// Seconds, bytes and threads of the report, and the last call of Hooks::progress, unless the host has cancelled.
void finish_report(LinearReport& report, const TrainingData& data, double data_seconds, base::Call& call);

/// What predict returns for a row with these decision values.
double label_of(const LinearData& model, const double* decisions);

}  // namespace dcsvm::linear
