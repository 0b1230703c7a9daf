/* What dcsvm adds to LIBSVM's interface: reasons instead of NULL, interruption, and prediction of many rows at once. */
#pragma once

#include "dcsvm/c_call.h"
#include "dcsvm/libsvm/svm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* svm_train; *model is NULL unless DCSVM_OK. */
int dcsvm_svm_train(const struct svm_problem *prob, const struct svm_parameter *param, struct svm_model **model,
                    const struct dcsvm_call *call);
int dcsvm_svm_cross_validation(const struct svm_problem *prob, const struct svm_parameter *param, int nr_fold, double *target,
                               const struct dcsvm_call *call);
/* svm_predict_values for rows x[0] .. x[l-1], on all cores: labels (l, or NULL) and values (l x decision values row-major, or NULL).
 * probability 1: svm_predict_probability, values are l x k (as in LIBSVM only when svm_check_probability_model; regression: none). */
int dcsvm_svm_predict(const struct svm_model *model, int l, const struct svm_node *const *x, int probability, double *labels,
                      double *values, const struct dcsvm_call *call);
/* dcsvm_svm_predict without svm_nodes. Not for the precomputed kernel. */
int dcsvm_svm_predict_matrix(const struct svm_model *model, const struct dcsvm_matrix *x, int probability, double *labels,
                             double *values, const struct dcsvm_call *call);
/* svm_save_model with feature values of 1 to 17 significant digits; 8 is LIBSVM's own form, 17 loses nothing. */
int dcsvm_svm_save_model(const char *model_file_name, const struct svm_model *model, int sv_digits, const struct dcsvm_call *call);
int dcsvm_svm_load_model(const char *model_file_name, struct svm_model **model, const struct dcsvm_call *call);
/* A print function that prints nothing. */
void dcsvm_svm_print_null(const char *text);

#ifdef __cplusplus
}
#endif

