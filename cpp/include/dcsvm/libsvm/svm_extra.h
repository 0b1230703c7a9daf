/* What dcsvm adds to LIBSVM's interface: reasons instead of NULL, interruption, and prediction of many rows at once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dcsvm/libsvm/svm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of one call. All zero: as LIBSVM's functions. */
struct dcsvm_call {
  int n_threads;                     /* 0: DCSVM_NUM_THREADS, else OMP_NUM_THREADS, else all cores */
  unsigned seed;                     /* of the folds for probabilities and cross-validation */
  int (*interrupted)(void *context); /* polled about every 50 ms on the calling thread; 1 abandons the call */
  void *context;
  char *error; /* the reason for a failure is written here, cut to error_size; NULL: to stderr */
  size_t error_size;
};

/* What a call returns. */
enum { DCSVM_OK, DCSVM_FAILED, DCSVM_NO_MEMORY, DCSVM_INTERRUPTED, DCSVM_NO_FILE };

/* svm_train; *model is NULL unless DCSVM_OK. */
int dcsvm_svm_train(const struct svm_problem *prob, const struct svm_parameter *param, struct svm_model **model,
                    const struct dcsvm_call *call);
int dcsvm_svm_cross_validation(const struct svm_problem *prob, const struct svm_parameter *param, int nr_fold, double *target,
                               const struct dcsvm_call *call);
/* svm_predict_values for rows x[0] .. x[l-1], on all cores: labels (l, or NULL) and values (l x decision values row-major, or NULL).
 * probability 1: svm_predict_probability, values are l x k (as in LIBSVM only when svm_check_probability_model; regression: none). */
int dcsvm_svm_predict(const struct svm_model *model, int l, const struct svm_node *const *x, int probability, double *labels,
                      double *values, const struct dcsvm_call *call);
/* A matrix whose column j is the feature with index j + 1: dense row-major when indptr is NULL, else compressed sparse rows, row i
 * having values[indptr[i]] .. values[indptr[i + 1] - 1] at ascending columns indices[..] from 0. */
struct dcsvm_matrix {
  int rows, cols;
  const double *values;
  const int *indices;
  const int64_t *indptr;
};
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

