// Predictions from a struct svm_model. A single row is computed here, in double and in LIBSVM's order of summation, without
// converting the model; many rows go through the library.
#pragma once

#include "dcsvm/libsvm/svm_extra.h"

namespace dcsvm::libsvm {

/// svm_predict_values; dec_values may be null. Throws ModelError, DataError.
double predict_row(const svm_model* model, const svm_node* x, double* dec_values);

/// svm_predict_probability.
double predict_row_probability(const svm_model* model, const svm_node* x, double* prob_estimates);

/// dcsvm_svm_predict.
void predict_rows(const svm_model* model, int l, const svm_node* const* x, bool probability, double* labels, double* values,
                  const dcsvm_call* call);

/// dcsvm_svm_predict_matrix.
void predict_matrix(const svm_model* model, const dcsvm_matrix* x, bool probability, double* labels, double* values,
                    const dcsvm_call* call);

}  // namespace dcsvm::libsvm
