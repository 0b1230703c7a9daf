// Predictions from a struct model. A single row is computed here, in LIBLINEAR's order of summation, without converting the
// model; many rows go through the library.
#pragma once

#include "dcsvm/liblinear/linear_extra.h"

namespace dcsvm::liblinear {

/// predict_values; dec_values may be null. Throws ModelError, DataError.
double predict_row(const model* m, const feature_node* x, double* dec_values);

/// predict_probability.
double predict_row_probability(const model* m, const feature_node* x, double* prob_estimates);

/// dcsvm_linear_predict.
void predict_rows(const model* m, int l, const feature_node* const* x, bool probability, double* labels, double* values,
                  const dcsvm_call* call);

/// dcsvm_linear_predict_matrix.
void predict_matrix(const model* m, const dcsvm_matrix* x, bool probability, double* labels, double* values,
                    const dcsvm_call* call);

}  // namespace dcsvm::liblinear
