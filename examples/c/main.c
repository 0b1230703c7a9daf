/* Predicts rows of two numbers, read from stdin, with a DC-Pred++ model that Python trained:
     example MODEL < rows
   One thread uses one predictor; dcsvm_predictor_clone makes one for each thread on the same model. */
#include <dcsvm/dc_pred.h>
#include <stdio.h>

int main(int argc, char** argv) {
  char reason[256];
  float x[2];
  dcsvm_predictor* model;
  if (argc != 2) {
    fprintf(stderr, "usage: example MODEL < rows\n");
    return 2;
  }
  model = dcsvm_predictor_load(argv[1], reason, sizeof reason);
  if (model == NULL) {
    fprintf(stderr, "%s\n", reason);
    return 1;
  }
  if (dcsvm_predictor_features(model) != 2) {
    fprintf(stderr, "%s: expected a model of 2 features, found %ld\n", argv[1], (long)dcsvm_predictor_features(model));
    dcsvm_predictor_free(model);
    return 1;
  }
  while (scanf("%f %f", &x[0], &x[1]) == 2) printf("%g\n", dcsvm_predictor_predict(model, x));
  dcsvm_predictor_free(model);
  return 0;
}
