/* DC-Pred++ models for C programs: load a model file, decide rows. Link libdcsvm.a, the C++ runtime and -lm -pthread.
   No function throws; none but load and clone allocates. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model with one thread's working memory. Several may share a model (clone), each used by one thread at a time. */
typedef struct dcsvm_predictor dcsvm_predictor;

/* NULL when the file cannot be read or is damaged: then `error` (of error_size bytes, or NULL) holds the reason. */
dcsvm_predictor* dcsvm_predictor_load(const char* path, char* error, size_t error_size);
/* Another predictor on the same model, for another thread. NULL without memory. */
dcsvm_predictor* dcsvm_predictor_clone(const dcsvm_predictor* predictor);
void dcsvm_predictor_free(dcsvm_predictor* predictor); /* NULL is allowed */

ptrdiff_t dcsvm_predictor_features(const dcsvm_predictor* predictor);
/* Numbers that decide() writes: 1 for two classes and regression, else one for each class. */
ptrdiff_t dcsvm_predictor_outputs(const dcsvm_predictor* predictor);

/* x: features() finite floats; out: outputs() floats. Two classes: positive for the lower class. Nothing is checked. */
void dcsvm_predictor_decide(dcsvm_predictor* predictor, const float* x, float* out);
/* The label, or the predicted number. */
double dcsvm_predictor_predict(dcsvm_predictor* predictor, const float* x);

#ifdef __cplusplus
}
#endif
