// svm_train and svm_cross_validation over the library's train and cross_validate.
#pragma once

#include <vector>

#include "c_common/grouping.hpp"
#include "dcsvm/libsvm/svm_extra.h"
#include "dcsvm/train.hpp"
#include "node_rows.hpp"

namespace dcsvm::libsvm {

/// The arguments of train() for a svm_problem.
struct Input {
  Rows data;
  c_common::Grouping grouping;      ///< classification
  const double* y;        ///< codes or targets
  TrainParams params;
};
/// Throws DataError, ParameterError (also for what svm_check_parameter names).
Input make_input(const svm_problem* prob, const svm_parameter* param, const dcsvm_call* call);

/// The call's hooks; progress prints LIBSVM's dots.
Hooks make_hooks(const dcsvm_call* call);

/// Throw what train throws; DataError and ParameterError for wrong arguments.
svm_model* train_model(const svm_problem* prob, const svm_parameter* param, const dcsvm_call* call);
void cross_validate_problem(const svm_problem* prob, const svm_parameter* param, int nr_fold, double* target,
                            const dcsvm_call* call);

}  // namespace dcsvm::libsvm
