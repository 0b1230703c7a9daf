/* What the functions that dcsvm adds to LIBSVM's and LIBLINEAR's C interfaces have in common. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of one call. All zero, or a null pointer instead: as the functions of LIBSVM and LIBLINEAR. */
struct dcsvm_call {
  int n_threads;                     /* 0: DCSVM_NUM_THREADS, else OMP_NUM_THREADS, else the cores that this process may use */
  unsigned seed;                     /* of the folds for probabilities and cross-validation */
  int (*interrupted)(void *context); /* polled about every 50 ms on the calling thread; 1 abandons the call */
  void *context;
  char *error; /* the reason for a failure is written here, cut to error_size; NULL: to stderr */
  size_t error_size;
};

/* What a call returns. */
enum { DCSVM_OK, DCSVM_FAILED, DCSVM_NO_MEMORY, DCSVM_INTERRUPTED, DCSVM_NO_FILE };

/* A matrix whose column j is the feature with index j + 1: dense row-major when indptr is NULL, else compressed sparse rows, row i
 * having values[indptr[i]] .. values[indptr[i + 1] - 1] at ascending columns indices[..] from 0. */
struct dcsvm_matrix {
  int rows, cols;
  const double *values;
  const int *indices;
  const int64_t *indptr;
};

#ifdef __cplusplus
}
#endif
