// train, cross_validation and find_parameters over the library's train_linear, cross_validate_linear and linear_path.
#pragma once

#include "c_common/grouping.hpp"
#include "dcsvm/liblinear/linear_extra.h"
#include "dcsvm/linear.hpp"
#include "node_rows.hpp"

namespace dcsvm::liblinear {

/// What is trained on, from feature_nodes or from a matrix.
struct Input {
  Rows copy;               ///< of feature_nodes
  DataView x;              ///< of `copy`, or of the caller's matrix
  const double* y = nullptr;
  double bias = -1;        ///< of the model
  double added_bias = -1;  ///< of the column that the library adds
  double l1_ratio = 0;     ///< share of |w|_1 in the penalty
  c_common::Grouping grouping;  ///< classification
  std::vector<double> labels;   ///< classification: (int)y

  Index rows() const { return rows_of(x); }
  /// Features of the model.
  Index n_features() const { return cols_of(x) - (bias >= 0 && added_bias < 0 ? 1 : 0); }
  /// Labels that are ints, or targets.
  const double* targets() const { return labels.empty() ? y : labels.data(); }
};
/// Throw DataError, and ParameterError also for what check_parameter names. The result refers to itself: it is not copied.
void set_input(const problem* prob, const parameter* param, Input& out);
void set_input(const dcsvm_linear_data* data, const parameter* param, Input& out);

/// Throw what train_linear throws.
model* train_model(const Input& input, const parameter& param, const dcsvm_call* call);
/// Also throws DataError and ParameterError for wrong arguments.
void cross_validate(const Input& input, const parameter& param, int nr_fold, double* target, const dcsvm_call* call);

/// Where find_parameters writes.
struct Best {
  double *C, *p, *score;
};
void find(const Input& input, const parameter& param, int nr_fold, double start_C, double start_p, const Best& best,
          const dcsvm_call* call);

}  // namespace dcsvm::liblinear
